package operation

import (
	"encoding/base64"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// attachSource gives the invoice with the source as a further attachment (BT-125), nil where it is not asked for or cannot be attached,
// with the reason.
func attachSource(req ConvertRequest, c *Conversion, read *invoice.Invoice) (with *invoice.Invoice, why string) {
	if asked := req.Options.AttachSource; asked == nil || !*asked {
		return nil, ""
	}
	extension, mediaType := ".xml", "application/xml"
	if detect.Sniff(req.Document) == detect.LooksPDF {
		extension, mediaType = ".pdf", "application/pdf"
	}
	if !c.choice.row.Steps.Attaches(read, mediaType) {
		return nil, fmt.Sprintf("%s has no attachments of the type %s (BT-125-1)", c.choice.token.Name, mediaType)
	}
	with = read.Clone()
	with.Attachments = append(with.Attachments, invoice.Attachment{Filename: attachmentName(req.Filename, extension, read.Attachments), MimeType: mediaType,
		Content: invoice.Base64(base64.StdEncoding.EncodeToString(req.Document))})
	return with, ""
}

// attachmentName is the name of the source among the attachments of the invoice, which has no two of one name (BR-DE-22).
func attachmentName(given, extension string, others []invoice.Attachment) string {
	name := path.Base(strings.ReplaceAll(given, `\`, "/"))
	if strings.Trim(name, "./-") == "" {
		name = "source" + extension
	}
	for slices.ContainsFunc(others, func(a invoice.Attachment) bool { return strings.EqualFold(a.Filename, name) }) {
		name = "source-" + name
	}
	return name
}

// notAttachedField is the member of the request that warnings about the source as an attachment are about.
const notAttachedField = "attachSource"

// notAttached warns that the source is not in the document, which is no loss of the invoice.
func notAttached(why string) finding.Finding {
	return finding.Finding{Code: finding.FieldNotWritten, Field: notAttachedField, Message: "attachSource: the source is not attached: " + why}
}

// withoutPlaceFor tells whether the document has no place for an attachment, which then counts as no loss.
func (m *conversion) withoutPlaceFor(attachment int) string {
	prefix := fmt.Sprintf("attachments[%d]", attachment)
	count := len(m.lost)
	m.lost = slices.DeleteFunc(m.lost, func(u mapping.Unwritten) bool { return strings.HasPrefix(u.Field, prefix) })
	if len(m.lost) == count {
		return ""
	}
	return m.token.Name + " has no place for attachments"
}

// speaksAgainst gives the error that the rules have about an attachment; empty where they have none.
func (m *conversion) speaksAgainst(attachment int) string {
	prefix := fmt.Sprintf("attachments[%d]", attachment)
	for _, e := range m.check.Errors {
		if strings.HasPrefix(e.Field, prefix) {
			return e.Message
		}
	}
	return ""
}
