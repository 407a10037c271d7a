package pdf

import (
	"strings"
	"testing"
)

// TestAttach_NamesFiles ensures that names are such as can be saved anywhere, and different from each other (E11).
func TestAttach_NamesFiles(t *testing.T) {
	long := strings.Repeat("ä", 5_000)
	d := New(About{}, nil)
	for i, c := range []struct{ name, want string }{
		{"a.pdf", "a.pdf"}, {"a.pdf", "a-2.pdf"}, {"a.pdf", "a-3.pdf"}, {"a-2.pdf", "a-2-2.pdf"}, {"../x", "x"}, {`C:\folder\y.exe`, "y.exe"}, {"/etc/passwd", "passwd"},
		{"b\x00c\n.xml", "bc.xml"}, {"", "attachment"}, {"..", "attachment-2"}, {"z/", "attachment-3"}, {"日本.pdf", "日本.pdf"}, {".env", ".env"}, {".env", "-2.env"},
		{long + ".pdf", long[:244] + ".pdf"}, {"k." + long, "k." + long[:252]},
	} {
		d.Attach(Attachment{Name: c.name})
		if got := d.attached[i].Name; got != c.want || len(got) > 255 {
			t.Errorf("%.40q is called %.300q, want %.300q", c.name, got, c.want)
		}
	}
}

// TestAttach_ManyOfOneName ensures that the names of many files are found in time that grows with their number.
func TestAttach_ManyOfOneName(t *testing.T) {
	d := New(About{}, nil)
	const n = 25_000
	for range n {
		d.Attach(Attachment{Name: "a.pdf"})
	}
	seen := map[string]bool{}
	for _, a := range d.attached {
		seen[a.Name] = true
	}
	if len(seen) != n || !seen["a-25000.pdf"] {
		t.Errorf("%d names", len(seen))
	}
}
