package hybrid

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestInvoice_FilesThatAreNamedAtLength ensures that of a very long name, which very many files share, no file keeps or compares more than its begin.
func TestInvoice_FilesThatAreNamedAtLength(t *testing.T) {
	const files, long = 100, 1 << 20
	var file, list strings.Builder
	file.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/AF 4 0 R>>endobj\n2 0 obj<</Kids[3 0 R]>>endobj\n3 0 obj<</Type/Page>>endobj\n5 0 obj(" +
		strings.Repeat("\xE9", long) + ".xml)endobj\n")
	for i := range files {
		fmt.Fprintf(&list, "<</F 5 0 R/EF<</F %d 0 R>>>>", 10+i)
		fmt.Fprintf(&file, "%d 0 obj<</Length 0/Subtype/text#2Fxml>>stream\n\nendstream endobj\n", 10+i)
	}
	file.WriteString("4 0 obj[" + list.String() + "]endobj\ntrailer<</Root 1 0 R>>\n")
	d, err := Open(t.Context(), []byte(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = d.Invoice()
	runtime.ReadMemStats(&after)
	if err == nil || len(d.found) != files {
		t.Fatalf("%d files, %v", len(d.found), err)
	}
	for _, a := range d.found {
		if want := strings.Repeat("é", maxName); a.name != want {
			t.Fatalf("a name of %d bytes, want %d", len(a.name), len(want))
		}
	}
	if allocated, most := after.TotalAlloc-before.TotalAlloc, uint64(10*files*long); allocated > most { // each is read as it stands, and copied while it grows
		t.Errorf("%d bytes were allocated, want at most %d", allocated, most)
	}
}

// TestInvoice_FileThatIsNamedAgainAndAgain ensures that a file counts once, wherever it is named, and that the last that says more of it is heard.
func TestInvoice_FileThatIsNamedAgainAndAgain(t *testing.T) {
	const times, files = 50_000, 1_000
	var file, names strings.Builder
	for i := range files {
		fmt.Fprintf(&names, "(%d.txt)<</EF<</F %d 0 R>>>>", i, 10+i)
		fmt.Fprintf(&file, "%d 0 obj<</Length 0>>stream\n\nendstream endobj\n", 10+i)
	}
	last := fmt.Sprintf("<</EF<</F %d 0 R>>>>", 10+files-1)
	text := "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/AF 4 0 R/Names<</EmbeddedFiles<</Names[" + names.String() +
		"]>>>>>>endobj\n2 0 obj<</Kids[3 0 R]>>endobj\n3 0 obj<</Type/Page>>endobj\n4 0 obj[" + strings.Repeat(last, times) + "]endobj\n" + file.String() +
		"trailer<</Root 1 0 R>>\n"
	d, err := Open(t.Context(), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Invoice(); err == nil || len(d.found) != files {
		t.Fatalf("%d files, %v", len(d.found), err)
	}
	for i, a := range d.found {
		if a.associated != (i == files-1) {
			t.Errorf("file %d: associated %t", i, a.associated)
		}
	}
}
