package rulebook

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/rulebooks"
)

// packed is an entry of an archive.
type packed struct {
	name   string
	text   string
	mode   fs.FileMode // 0 for what the name says
	method uint16
	raw    func(*zip.FileHeader) // changes the header behind the packer's back
}

// archive packs entries.
func archive(t testing.TB, entries ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: e.method}
		if e.mode != 0 {
			h.SetMode(e.mode)
		}
		create := w.CreateHeader
		if e.raw != nil {
			h.UncompressedSize64, h.CompressedSize64 = uint64(len(e.text)), uint64(len(e.text))
			e.raw(h)
			create = w.CreateRaw
		}
		f, err := create(h)
		if err == nil && !strings.HasSuffix(e.name, "/") {
			_, err = f.Write([]byte(e.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// packAll packs files as a publisher would.
func packAll(t testing.TB, files map[string]string) []byte {
	t.Helper()
	entries := []packed{{name: "META-INF/"}, {name: "META-INF/MANIFEST.MF", text: "Manifest-Version: 1.0\n"}}
	for _, name := range sortedKeys(files) {
		entries = append(entries, packed{name: name, text: files[name], method: zip.Deflate})
	}
	return archive(t, entries...)
}

func TestOpenArchive_RefusesWhatIsHostile(t *testing.T) {
	megabytes := strings.Repeat("<a/>", 1<<19)
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"no archive":     {[]byte("PK no"), "expected a ZIP or JAR file"},
		"cut off":        {archive(t, packed{name: "a", text: "b"})[:60], "expected a ZIP or JAR file"},
		"parent":         {archive(t, packed{name: "../a"}), `entry "../a": is no path inside the archive`},
		"parent inside":  {archive(t, packed{name: "a/../../b"}), `entry "a/../../b": is no path inside the archive`},
		"dot":            {archive(t, packed{name: "./a"}), `entry "./a"`},
		"double slash":   {archive(t, packed{name: "a//b"}), `entry "a//b"`},
		"absolute":       {archive(t, packed{name: "/etc/passwd"}), `entry "/etc/passwd": is no path`},
		"Windows path":   {archive(t, packed{name: `a\..\b`}), `is no path inside the archive`},
		"drive":          {archive(t, packed{name: "C:/a"}), `entry "C:/a": is no path`},
		"no name":        {archive(t, packed{name: ""}), `entry "": is no path`},
		"zero byte":      {archive(t, packed{name: "a\x00b"}), "is no path"},
		"bad UTF-8":      {archive(t, packed{name: "a\xff"}), "is no path"},
		"link":           {archive(t, packed{name: "a", text: "/etc", mode: fs.ModeSymlink | 0o777}), `entry "a": is a link: expected a file of its own`},
		"device":         {archive(t, packed{name: "a", mode: fs.ModeDevice | 0o600}), `entry "a": is neither a file nor a folder`},
		"pipe":           {archive(t, packed{name: "a", mode: fs.ModeNamedPipe | 0o600}), "is neither a file nor a folder"},
		"folder as file": {archive(t, packed{name: "a", raw: func(h *zip.FileHeader) { h.SetMode(fs.ModeDir | 0o755) }}), "is neither a file nor a folder"},
		"twice":          {archive(t, packed{name: "a"}, packed{name: "a"}), `entry "a" stands there twice`},
		"twice by case":  {archive(t, packed{name: "d/a"}, packed{name: "D/A"}), `entry "D/A" stands there twice, upper and lower case taken for the same`},
		"file as folder": {archive(t, packed{name: "a/"}, packed{name: "a"}), `entry "a" stands there twice`},
		"encrypted":      {archive(t, packed{name: "a", raw: func(h *zip.FileHeader) { h.Flags |= 1 }}), `entry "a": is encrypted`},
		"other packing":  {archive(t, packed{name: "a", raw: func(h *zip.FileHeader) { h.Method = 14 }}), `entry "a": is packed by method 14: expected 0 or 8`},
		"bomb":           {archive(t, packed{name: "a", text: megabytes, method: zip.Deflate}), "times its size: expected at most 200"},
		"large":          {archive(t, packed{name: "a", raw: func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 40 }}), "unpacked it has 1099511627776 bytes: expected at most 67108864"},
		"nothing packed": {archive(t, packed{name: "a", raw: func(h *zip.FileHeader) { h.UncompressedSize64, h.CompressedSize64 = 2<<20, 0 }}), "times its size"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := OpenArchive(bytes.NewReader(test.data), int64(len(test.data)), Limits{})
			wants(t, err, test.want)
		})
	}
}

func TestOpenArchive_ObeysLimits(t *testing.T) {
	data := archive(t, packed{name: "a", text: "123"}, packed{name: "b", text: "456"})
	for _, test := range []struct {
		limits Limits
		want   string
	}{
		{Limits{Entries: 1}, "it has 2 entries: expected at most 1"},
		{Limits{Bytes: 5}, "unpacked it has more than 5 bytes"},
		{Limits{FileBytes: 2}, `entry "a": unpacked it has 3 bytes: expected at most 2`},
		{Limits{Entries: -1}, "limit Entries is -1"},
	} {
		_, err := OpenArchive(bytes.NewReader(data), int64(len(data)), test.limits)
		wants(t, err, test.want)
	}
	if _, err := OpenArchive(bytes.NewReader(data), int64(len(data)), Limits{Entries: 2, Bytes: 6, FileBytes: 3}); err != nil {
		t.Error(err)
	}
}

// An archive that lies about sizes is found out when it is read.
func TestImport_FindsOutArchivesThatLie(t *testing.T) {
	data := archive(t, packed{name: "v1.0/r.sch", text: smallRules, method: zip.Deflate})
	short := bytes.Clone(data)
	at := bytes.LastIndex(short, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(short[at+24:], 10) // uncompressed size in the directory
	fsys, err := OpenArchive(bytes.NewReader(short), int64(len(short)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Import(context.Background(), fsys, refusing{}, ImportOptions{Syntax: "ubl"})
	wants(t, err, "import: v1.0/r.sch: zip: not a valid zip file")
}

// refusing is a folder that nothing may be written to.
type refusing struct{ Folder }

func FuzzImport(f *testing.F) {
	f.Add(packAll(f, published))
	f.Add(archive(f, packed{name: "v1/r.sch", text: smallRules}, packed{name: "x.xsd", text: smallXSD}, packed{name: "v1/r.xslt", text: "<a/>"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		limits := Limits{Bytes: 1 << 20, FileBytes: 1 << 18}
		fsys, err := OpenArchive(bytes.NewReader(data), int64(len(data)), limits)
		if err != nil {
			return
		}
		into := &memoryFolder{files: map[string]string{}}
		done, err := Import(context.Background(), fsys, into, ImportOptions{Version: "1", Syntax: "ubl", Limits: limits})
		if err != nil {
			if len(into.files) > 0 {
				t.Fatalf("%v, and still wrote %q", err, sortedKeys(into.files))
			}
			return
		}
		r, err := NewRegistry(context.Background(), Config{Layers: []Layer{layer("x", into.files)}})
		if err != nil || len(r.Current().Books()) != 1 || into.files[done.Folder+"/"+rulebooks.ManifestFile] == "" {
			t.Fatalf("what was imported does not load: %v", err)
		}
	})
}

// memoryFolder is a Folder of texts by path.
type memoryFolder struct {
	files map[string]string
	fail  string // the operation that fails: the name of a method and its argument
}

var errDisk = errors.New("the disk is full")

func (m *memoryFolder) trouble(operation string) error {
	if m.fail != "" && strings.HasPrefix(operation, m.fail) {
		return errDisk
	}
	return nil
}

func (m *memoryFolder) MkdirAll(name string, _ fs.FileMode) error { return m.trouble("mkdir " + name) }

func (m *memoryFolder) WriteFile(name string, data []byte, _ fs.FileMode) error {
	if err := m.trouble("write " + name); err != nil {
		return err
	}
	m.files[name] = string(data)
	return nil
}

func (m *memoryFolder) Rename(from, to string) error {
	if err := m.trouble("rename " + from); err != nil {
		return err
	}
	for name, text := range m.files {
		if rest, ok := strings.CutPrefix(name, from+"/"); ok {
			delete(m.files, name)
			m.files[to+"/"+rest] = text
		}
	}
	return nil
}

func (m *memoryFolder) RemoveAll(folder string) error {
	for name := range m.files {
		if strings.HasPrefix(name, folder+"/") {
			delete(m.files, name)
		}
	}
	return m.trouble("remove " + folder)
}

func (m *memoryFolder) Lstat(name string) (fs.FileInfo, error) {
	if err := m.trouble("lstat " + name); err != nil {
		return nil, err
	}
	return fs.Stat(inMemory(m.files), name)
}
