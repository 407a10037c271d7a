package hybrid

import (
	"fmt"
	"strings"
	"testing"
)

// TestPages_ResourcesThatAllInherit ensures that fonts which very many pages inherit are looked at, and once.
func TestPages_ResourcesThatAllInherit(t *testing.T) {
	const pages, fonts = 40_000, 40_000
	var names strings.Builder
	for i := range fonts {
		fmt.Fprintf(&names, "/%d 9 0 R", i)
	}
	file := "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[" + strings.Repeat("<<>>", pages) + "]/Resources<</Font<<" +
		names.String() + ">>>>>>endobj\n9 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n"
	d, err := Open(t.Context(), []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	found := d.walkPages()
	if found.count != pages || found.broken {
		t.Errorf("%d pages, broken %t, want %d", found.count, found.broken, pages)
	}
	if embedded, used := found.fonts["Helvetica"]; !used || embedded || len(found.fonts) != 1 {
		t.Errorf("fonts are %v, want Helvetica, which is not embedded", found.fonts)
	}
}
