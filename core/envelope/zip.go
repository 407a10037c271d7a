package envelope

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Packed is a document that was in an ISDOCX file: a ZIP archive with a manifest that names the document, and attached files beside it.
type Packed struct {
	Name   string   // of the document in the archive
	XML    []byte   // the document
	Others []string // names of the other files, sorted; at most othersLimit

	files map[string]*zip.File // the other files by their names, with slashes
	left  int                  // bytes that they may still have
}

// Limits on archives, so that small ones cannot take much memory or time.
const (
	entryLimit    = 2_000     // files in an archive
	manifestLimit = 1 << 20   // bytes of a manifest
	inflateLimit  = 128 << 20 // bytes of a document
	ratioLimit    = 200       // bytes of a document for each byte of the archive, above inflateFree
	inflateFree   = 4 << 20   // bytes that any archive may inflate to
	othersLimit   = 100
	filesLimit    = 32 << 20 // bytes of the files beside the document
)

// manifestName is the file that names the document (ISDOC 6.0.2, manifest).
const manifestName = "manifest.xml"

// extension is how the names of documents end.
const extension = ".isdoc"

// IsArchive tells whether data is a ZIP archive, by its first bytes (APPNOTE.TXT 4.3.7).
func IsArchive(data []byte) bool { return bytes.HasPrefix(data, []byte("PK\x03\x04")) }

// Unpack gives the document of an ISDOCX file: the one that the manifest names, or the only one whose name ends in .isdoc. The errors are
// ErrNone where data is no archive, and those of an archive that is damaged, beyond the limits or holds no such document.
func Unpack(data []byte) (*Packed, error) {
	if !IsArchive(data) {
		return nil, ErrNone
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // nothing is written to a path
		return nil, fmt.Errorf("the ISDOCX archive cannot be read: %w", err)
	}
	if len(archive.File) > entryLimit {
		return nil, fmt.Errorf("the ISDOCX archive has %d files, more than %d", len(archive.File), entryLimit)
	}
	main, err := mainOf(archive)
	if err != nil {
		return nil, err
	}
	most := max(inflateFree, ratioLimit*len(data))
	content, err := inflate(main, min(inflateLimit, most))
	if err != nil {
		return nil, fmt.Errorf("the document %q in the ISDOCX archive: %w", main.Name, err)
	}
	p := &Packed{Name: main.Name, XML: content, files: map[string]*zip.File{}, left: min(filesLimit, most)}
	p.list(archive, main)
	return p, nil
}

// list notes the files beside the document. Of several with one name the first counts.
func (p *Packed) list(archive *zip.Reader, main *zip.File) {
	for _, f := range archive.File {
		name := slashed(f.Name)
		if f == main || name == manifestName || strings.HasSuffix(name, "/") {
			continue
		}
		p.Others = append(p.Others, f.Name)
		if p.files[name] == nil {
			p.files[name] = f
		}
	}
	slices.Sort(p.Others)
	p.Others = p.Others[:min(len(p.Others), othersLimit)]
}

func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// File gives what is in a file beside the document, by its name, in which a backslash is as good as a slash. The errors are fs.ErrNotExist where there
// is none, and those of a file that is damaged, or larger than what all files together may have; such a file is told once, and is none from then on.
func (p *Packed) File(name string) ([]byte, error) {
	plain, most := slashed(name), p.left
	f := p.files[plain]
	if f == nil {
		return nil, fs.ErrNotExist
	}
	if f.UncompressedSize64 <= uint64(most) {
		p.left -= int(f.UncompressedSize64) // whether it is damaged or not: a document may name it as often as it likes
	}
	content, err := inflate(f, most)
	if err != nil {
		delete(p.files, plain)
	}
	return content, err
}

// mainOf finds the document in an archive.
func mainOf(archive *zip.Reader) (*zip.File, error) {
	if manifest := named(archive, manifestName); manifest != nil {
		return ofManifest(archive, manifest)
	}
	var found *zip.File
	for _, f := range archive.File {
		if !strings.EqualFold(path.Ext(f.Name), extension) {
			continue
		}
		if found != nil {
			return nil, errors.New("the ISDOCX archive has several documents and no manifest that says which counts")
		}
		found = f
	}
	if found == nil {
		return nil, errors.New("the ISDOCX archive has neither a manifest nor a file named .isdoc")
	}
	return found, nil
}

// ofManifest finds the document that a manifest names.
func ofManifest(archive *zip.Reader, manifest *zip.File) (*zip.File, error) {
	text, err := inflate(manifest, manifestLimit)
	if err != nil {
		return nil, fmt.Errorf("the manifest of the ISDOCX archive: %w", err)
	}
	var said struct {
		Main struct {
			Filename string `xml:"filename,attr"`
		} `xml:"maindocument"`
	}
	if err := xml.Unmarshal(text, &said); err != nil {
		return nil, fmt.Errorf("the manifest of the ISDOCX archive cannot be read: %w", err)
	}
	if f := named(archive, said.Main.Filename); f != nil && said.Main.Filename != "" {
		return f, nil
	}
	return nil, fmt.Errorf("the manifest of the ISDOCX archive names %q, which is not there", said.Main.Filename)
}

// named finds a file by its name.
func named(archive *zip.Reader, name string) *zip.File {
	i := slices.IndexFunc(archive.File, func(f *zip.File) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return archive.File[i]
}

// inflate reads a file of an archive, at most so many bytes.
func inflate(f *zip.File, most int) ([]byte, error) {
	tooLarge := fmt.Errorf("it has more than %d bytes", most)
	if f.UncompressedSize64 > uint64(most) {
		return nil, tooLarge
	}
	in, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	content, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	switch {
	case err != nil:
		return nil, err
	case len(content) > most:
		return nil, tooLarge
	}
	return content, nil
}
