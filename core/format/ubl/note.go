package ubl

import (
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// subjectNote joins the subject code (BT-21) and the text (BT-22) of a note: UBL has one element for both, and
// CEN/TS 16931-3-2 puts the code between two number signs before the text.
var subjectNote = &m.Codec{
	Fields: []string{"text", "subjectCode"},
	Format: func(group any) string {
		note := group.(*invoice.Note)
		if note.SubjectCode == "" {
			return note.Text
		}
		return "#" + note.SubjectCode + "#" + note.Text
	},
	Parse: func(text string, group any) {
		note := group.(*invoice.Note)
		if found := subjectCode.FindStringSubmatch(text); found != nil {
			note.SubjectCode, text = found[1], text[len(found[0]):]
		}
		note.Text = strings.Trim(text, " \t\r\n")
	},
}

// subjectCode matches a code of UNTDID 4451, which are three capital letters.
var subjectCode = regexp.MustCompile(`^\s*#([A-Z]{3})#`)
