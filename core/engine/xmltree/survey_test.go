package xmltree

import (
	"strings"
	"testing"
	"unicode/utf16"
)

// TestSurvey_CountsWhateverTheSpelling ensures that elements are counted whatever their prefix, the white space in their tags and the
// encoding, and that text, comments and attributes that look like elements are not.
func TestSurvey_CountsWhateverTheSpelling(t *testing.T) {
	lines := func(line string) string { return "<i><n>1</n>" + strings.Repeat(line, 700) + "<n/></i>" }
	for name, source := range map[string]string{
		"plain":         lines("<InvoiceLine><a/></InvoiceLine>"),
		"prefix":        lines("<x:InvoiceLine><a/></x:InvoiceLine>"),
		"white space":   lines("<cac:InvoiceLine\n ><a/></cac:InvoiceLine\t>"),
		"attributes":    lines(`<InvoiceLine a="/>" b='<a><a>'><a/></InvoiceLine>`),
		"comments":      lines("<!-- <a><a> --><InvoiceLine><![CDATA[<a><a>]]><a/><?p <a>?></InvoiceLine>"),
		"another name":  lines("<TaxSubtotal><a/></TaxSubtotal>"),
		"declaration":   `<?xml version="1.0"?>` + lines("<InvoiceLine><a/></InvoiceLine>"),
		"UTF-16 little": utf16Of(lines("<InvoiceLine><a/></InvoiceLine>"), false),
		"UTF-16 big":    utf16Of(lines("<InvoiceLine><a/>\u263c</InvoiceLine>"), true),
	} {
		if elements, like := Survey([]byte(source)); elements != 3+2*700 || like != 700 {
			t.Errorf("%s: %d elements, %d alike", name, elements, like)
		}
	}
}

// TestSurvey_OfWhatIsNoXML ensures that anything can be looked over.
func TestSurvey_OfWhatIsNoXML(t *testing.T) {
	for _, source := range []string{"", "<", "<<<<", "</a></a><b", "<a b='", "<!--", "<![CDATA[", "%PDF-1.7 <", "\xFE\xFF\x00", strings.Repeat("<a>", 5_000)} {
		if elements, like := Survey([]byte(source)); like > elements || elements > len(source) {
			t.Errorf("%.20q: %d elements, %d alike", source, elements, like)
		}
	}
}

func utf16Of(text string, big bool) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune("\uFEFF" + text)) {
		low, high := byte(unit), byte(unit>>8)
		if big {
			low, high = high, low
		}
		b.WriteByte(low)
		b.WriteByte(high)
	}
	return b.String()
}
