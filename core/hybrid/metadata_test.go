package hybrid

import (
	"runtime"
	"strings"
	"testing"
)

// TestMetadata_PropertiesInEachOther ensures that properties which stand in each other are not each read with all that is in them.
func TestMetadata_PropertiesInEachOther(t *testing.T) {
	const deep, long = 200, 1 << 20
	xmp := `<r xmlns:a="` + pdfaNamespace + `">` + strings.Repeat("<a:part>", deep) + strings.Repeat("3", long) + strings.Repeat("</a:part>", deep) + "</r>"
	d, err := Open(t.Context(), []byte("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R/Metadata 2 0 R>>endobj\n2 0 obj<</Type/Metadata>>stream\n"+xmp+
		"\nendstream endobj\ntrailer<</Root 1 0 R>>\n"))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := d.metadata()
	runtime.ReadMemStats(&after)
	if len(m.part) != long {
		t.Fatalf("a part of %d bytes, want %d", len(m.part), long)
	}
	if allocated, most := after.TotalAlloc-before.TotalAlloc, uint64(20*len(xmp)); allocated > most {
		t.Errorf("%d bytes were allocated for %d, want at most %d", allocated, len(xmp), most)
	}
}
