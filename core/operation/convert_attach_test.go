package operation

import (
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestAttachmentName ensures that the source gets a name that no other attachment has, whichever case that is in.
func TestAttachmentName(t *testing.T) {
	var others []invoice.Attachment
	for _, name := range []string{"b.xml", "SOURCE-B.XML", "source-\u017Fource-b.xml", "source-source-source-source-b.xml"} { // the letter is a long s
		others = append(others, invoice.Attachment{Filename: name})
	}
	for given, want := range map[string]string{`a\b.xml`: "source-source-source-b.xml", "c.xml": "c.xml", "": "source.xml", "../..": "source.xml"} {
		if got := attachmentName(given, ".xml", others); got != want {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
}
