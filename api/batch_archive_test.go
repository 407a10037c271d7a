package api

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// packedFile is an entry that a test puts into a ZIP.
type packedFile struct {
	name   string
	data   string
	method uint16
	mode   fs.FileMode
	raw    bool // sizes stand in the local header
}

// zipOf makes a ZIP by the standard library, which puts the sizes behind the data unless they are raw.
func zipOf(t testing.TB, files ...packedFile) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: f.method}
		if f.mode != 0 {
			h.SetMode(f.mode)
		}
		create := w.CreateHeader
		data := []byte(f.data)
		if f.raw {
			create = w.CreateRaw
			h.CRC32, h.UncompressedSize64 = crc32.ChecksumIEEE(data), uint64(len(data))
			if f.method == zip.Deflate {
				data = deflated(t, f.data)
			}
			h.CompressedSize64 = uint64(len(data))
		}
		entry := must(create(h))(t)
		must(entry.Write(data))(t)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func deflated(t testing.TB, data string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := must(flate.NewWriter(&out, 6))(t)
	must(io.WriteString(w, data))(t)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var easyLimits = archiveLimits{entry: 4 << 20, total: 16 << 20}

// readArchive reads an archive to its end.
func readArchive(archive []byte, limits archiveLimits) (files []packedFile, err error) {
	a, err := openArchive(bytes.NewReader(archive), int64(len(archive)), limits, func(int64) error { return nil })
	if err != nil {
		return nil, err
	}
	for {
		e, err := a.next()
		if err == io.EOF {
			return files, nil
		}
		if err != nil {
			return files, err
		}
		files = append(files, packedFile{name: e.name, data: string(e.data)})
	}
}

// TestArchive_ReadsWhatTheStandardLibraryWrites ensures that entries come as they were put in, whether their sizes stand before
// or behind them.
func TestArchive_ReadsWhatTheStandardLibraryWrites(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(rt, "files")
		var files []packedFile
		for i := range n {
			f := packedFile{
				name: fmt.Sprintf("%s%d.xml", rapid.SampledFrom([]string{"", "a/", "a/ü/"}).Draw(rt, "folder"), i),
				data: rapid.String().Draw(rt, "data"), method: zip.Deflate, raw: rapid.Bool().Draw(rt, "raw"),
			}
			if f.raw && rapid.Bool().Draw(rt, "stored") {
				f.method = zip.Store
			}
			files = append(files, f)
		}
		archive := zipOf(t, files...)
		got, err := readArchive(archive, easyLimits)
		if err != nil || len(got) != len(files) {
			rt.Fatalf("%d of %d files, %v", len(got), len(files), err)
		}
		for i, f := range files {
			if got[i].name != f.name || got[i].data != f.data {
				rt.Fatalf("%+v, want %+v", got[i], f)
			}
		}
	})
}

// TestArchive_Folders ensures that folders are passed over.
func TestArchive_Folders(t *testing.T) {
	got, err := readArchive(zipOf(t, packedFile{name: "in/"}, packedFile{name: "in/a.xml", data: "<a/>", method: zip.Deflate}), easyLimits)
	if err != nil || len(got) != 1 || got[0].name != "in/a.xml" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestArchive_ManyEntries ensures that more entries than 16 bits count are read, whose number stands in the records of ZIP64.
func TestArchive_ManyEntries(t *testing.T) {
	files := make([]packedFile, 70_000)
	for i := range files {
		files[i] = packedFile{name: fmt.Sprintf("%d.xml", i), data: "x", method: zip.Store, raw: true}
	}
	archive := zipOf(t, files...)
	if got, err := readArchive(archive, easyLimits); err != nil || len(got) != len(files) {
		t.Errorf("%d files, %v", len(got), err)
	}
}

// refusedArchive tells how an archive is refused; "" when it is not.
func refusedArchive(t testing.TB, archive []byte, limits archiveLimits) string {
	t.Helper()
	_, err := readArchive(archive, limits)
	if err == nil {
		return ""
	}
	p := problemOf(err)
	if p.status != 400 && p.status != 413 {
		t.Errorf("no refusal: %v", err)
	}
	return p.Message
}

// edit changes what stands at the first place of old.
func edit(archive []byte, old, by string) []byte {
	return bytes.Replace(archive, []byte(old), []byte(by), 1)
}

// TestArchive_Refusals ensures that archives which are made to deceive, to burst or to reach out are refused.
func TestArchive_Refusals(t *testing.T) {
	one := packedFile{name: "a.xml", data: "<a/>", method: zip.Deflate}
	raw := packedFile{name: "a.xml", data: "<a/>", method: zip.Store, raw: true}
	bomb := packedFile{name: "a.xml", data: strings.Repeat("\x00", 3<<20), method: zip.Deflate}
	named := func(name string) []byte {
		return zipOf(t, packedFile{name: name, data: "<a/>", method: zip.Deflate})
	}
	good, stored := zipOf(t, one), zipOf(t, raw)
	patched := func(archive []byte, at int, value uint16) []byte {
		archive = bytes.Clone(archive)
		binary.LittleEndian.PutUint16(archive[at:], value)
		return archive
	}
	directory := bytes.Index(stored, []byte("PK\x01\x02"))
	for name, c := range map[string]struct {
		archive []byte
		limits  archiveLimits
		want    string
	}{
		"no ZIP":                 {[]byte("<Invoice/>"), easyLimits, "not a ZIP"},
		"nothing":                {nil, easyLimits, "not a ZIP"},
		"a path upwards":         {named("../a.xml"), easyLimits, "name that is not allowed"},
		"a path upwards within":  {named("a/../../b.xml"), easyLimits, "name that is not allowed"},
		"an absolute path":       {named("/etc/passwd"), easyLimits, "name that is not allowed"},
		"a path of Windows":      {named(`c:\a.xml`), easyLimits, "name that is not allowed"},
		"a control character":    {named("a\x00.xml"), easyLimits, "name that is not allowed"},
		"a name that is no text": {named("a\xff.xml"), easyLimits, "name that is not allowed"},
		"a long name":            {named(strings.Repeat("a", 256)), easyLimits, "name of more than 255 bytes"},
		"a link":                 {zipOf(t, packedFile{name: "a.xml", data: "/etc/passwd", method: zip.Deflate, mode: fs.ModeSymlink | 0o777}), easyLimits, "is a link"},
		"a device":               {zipOf(t, packedFile{name: "a.xml", method: zip.Deflate, mode: fs.ModeDevice | 0o600}), easyLimits, "is a link or a device"},
		"a folder with content":  {edit(edit(zipOf(t, raw), "a.xml", "a.xm/"), "a.xml", "a.xm/"), easyLimits, "folder with content"},
		"an entry too large":     {zipOf(t, packedFile{name: "a.xml", data: strings.Repeat("ab", 100), method: zip.Deflate}), archiveLimits{entry: 199, total: 1000}, "larger than 199 bytes"},
		"too much together":      {zipOf(t, one, one, one), archiveLimits{entry: 10, total: 11}, "more than 11 bytes together"},
		"a bomb":                 {zipOf(t, bomb), easyLimits, "more than 200 times"},
		"a false size":           {patched(stored, directory+24, 3), easyLimits, "is damaged"},
		"encrypted":              {patched(stored, directory+8, flagEncrypted), easyLimits, "is encrypted"},
		"another method":         {patched(stored, directory+10, 14), easyLimits, "neither stored nor deflated"},
		"damaged data":           {edit(stored, "<a/>", "<b/>"), easyLimits, "is damaged"},
		"damaged stream":         {edit(good, string(deflated(t, "<a/>"))[:4], "\xff\xff\xff\xff"), easyLimits, "damaged"},
		"a false count":          {patched(stored, len(stored)-12, 2), easyLimits, "not a ZIP"},
		"a directory elsewhere":  {patched(stored, len(stored)-6, 60), easyLimits, "is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := refusedArchive(t, c.archive, c.limits); !strings.Contains(got, c.want) {
				t.Errorf("%q, want …%s…", got, c.want)
			}
		})
	}
}

// TestArchive_CutOff ensures that an archive which ends anywhere is refused.
func TestArchive_CutOff(t *testing.T) {
	whole := zipOf(t, packedFile{name: "a.xml", data: "<a/>", method: zip.Deflate}, packedFile{name: "b.xml", data: "<b/>", method: zip.Store, raw: true})
	for n := range whole {
		if got := refusedArchive(t, whole[:n], easyLimits); got == "" {
			t.Fatalf("%d of %d bytes are taken for an archive", n, len(whole))
		}
	}
	if got := refusedArchive(t, whole, easyLimits); got != "" {
		t.Error(got)
	}
}

// TestArchive_Directory ensures that a directory is bounded and counted while it is read, before its entries are held.
func TestArchive_Directory(t *testing.T) {
	var files []packedFile
	for i := range 1000 {
		files = append(files, packedFile{name: fmt.Sprintf("%d.xml", i), data: "x", method: zip.Store, raw: true})
	}
	data := zipOf(t, files...)
	var held int64
	full := errors.New("full")
	_, err := openArchive(bytes.NewReader(data), int64(len(data)), easyLimits, func(n int64) error {
		if held = n; n > 100<<10 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || held > 200<<10 {
		t.Errorf("%v with %d bytes", err, held)
	}
	endless := bytes.Repeat(data[bytes.Index(data, []byte("PK\x01\x02")):bytes.LastIndex(data, []byte("PK\x05\x06"))], 1500)
	end := bytes.Clone(data[len(data)-22:])
	binary.LittleEndian.PutUint32(end[12:], uint32(len(endless)))
	binary.LittleEndian.PutUint32(end[16:], 0)
	endless = append(endless, end...)
	if got := refusedArchive(t, endless, easyLimits); !strings.Contains(got, "100000") {
		t.Errorf("a directory of %d bytes: %q", len(endless), got)
	}
}

// FuzzArchive ensures that any bytes are an archive within the limits, or a refusal.
func FuzzArchive(f *testing.F) {
	f.Add(zipOf(f, packedFile{name: "a.xml", data: "<a/>", method: zip.Deflate}))
	f.Add(zipOf(f, packedFile{name: "b/", raw: true}, packedFile{name: "b/a.xml", data: "<a/>", method: zip.Store, raw: true}))
	f.Fuzz(func(t *testing.T, archive []byte) {
		limits := archiveLimits{entry: 1 << 16, total: 1 << 18}
		files, err := readArchive(archive, limits)
		if err != nil {
			if problemOf(err).status >= 500 {
				t.Fatalf("not a refusal: %v", err)
			}
			return
		}
		var total int64
		for _, file := range files {
			if total += int64(len(file.data)); int64(len(file.data)) > limits.entry || !fs.ValidPath(file.name) {
				t.Fatalf("%q has %d bytes", file.name, len(file.data))
			}
		}
		if total > limits.total {
			t.Fatalf("%d bytes together", total)
		}
	})
}
