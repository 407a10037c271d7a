package operation

import (
	"context"
	"encoding/base64"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/detect"
	"github.com/einvoiced/einvoiced/core/envelope"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// attachSource gives the source as an attachment (BT-125), nil where it is not asked for or cannot be attached, with the reason.
func attachSource(req ConvertRequest, c *Conversion, read *invoice.Invoice) (source *invoice.Attachment, why string) {
	if asked := req.Options.AttachSource; asked == nil || !*asked {
		return nil, ""
	}
	extension, mediaType := ".xml", "application/xml"
	switch detect.Sniff(req.Document) {
	case detect.LooksPDF:
		extension, mediaType = ".pdf", "application/pdf"
	case detect.LooksElse: // lines of text, a signed envelope or an archive
		extension, mediaType = ".p7m", "application/pkcs7-mime"
		switch {
		case c.opened.text:
			extension, mediaType = ".txt", "text/plain"
		case envelope.IsArchive(req.Document):
			extension, mediaType = ".isdocx", "application/zip"
		}
	}
	if row := c.choice.row; row != nil && !row.Steps.Attaches(read, mediaType) {
		return nil, fmt.Sprintf("%s has no attachments of the type %s (BT-125-1)", c.choice.token.Name, mediaType)
	}
	return &invoice.Attachment{Filename: attachmentName(req.Filename, extension, read.Attachments), MimeType: mediaType,
		Content: invoice.Base64(base64.StdEncoding.EncodeToString(req.Document))}, ""
}

// attachmentName is the name of the source among the attachments of the invoice, which has no two of one name (BR-DE-22).
func attachmentName(given, extension string, others []invoice.Attachment) string {
	name := path.Base(strings.ReplaceAll(given, `\`, "/"))
	if strings.Trim(name, "./-") == "" {
		name = "source" + extension
	}
	taken := map[string]bool{}
	for _, a := range others {
		taken[folded(a.Filename)] = true
	}
	for taken[folded(name)] {
		name = "source-" + name
	}
	return name
}

// folded is a name as those are alike which differ in upper and lower case.
func folded(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// notAttachedField is the member of the request that warnings about the source as an attachment are about.
const notAttachedField = "attachSource"

// notAttached warns that the source is not in the document, which is no loss of the invoice.
func notAttached(why string) finding.Finding {
	return finding.Finding{Code: finding.FieldNotWritten, Field: notAttachedField, Message: "attachSource: the source is not attached: " + why}
}

// withoutPlaceForSource tells whether the document has no place for the attached source, which then counts as no loss.
func (m *conversion) withoutPlaceForSource() bool {
	count := len(m.written.lost)
	m.written.lost = slices.DeleteFunc(m.written.lost, func(u mapping.Unwritten) bool { return m.isSource(u.Field) })
	return len(m.written.lost) < count
}

// isSource tells whether a member is of the attached source.
func (m *conversion) isSource(field string) bool {
	return m.attached >= 0 && strings.HasPrefix(field, fmt.Sprintf("attachments[%d]", m.attached))
}

// speaksAgainst gives the error that the rules have about the attached source; empty where they have none.
func (m *conversion) speaksAgainst() string {
	for _, e := range m.verdict.Errors {
		if m.isSource(e.Field) {
			return e.Message
		}
	}
	return ""
}

// convertWithoutSource converts anew without the attachment that rules speak against. The attachment is an extra of the
// conversion, which must not fail for its sake.
func (s *Service) convertWithoutSource(ctx context.Context, req ConvertRequest, why string) (*ConvertAnswer, error) {
	req.Opened, req.Options.AttachSource = nil, nil
	answer, err := s.Convert(ctx, req)
	if err == nil {
		answer.Warnings = append(answer.Warnings, notAttached(why))
	}
	return answer, err
}

// nameFiles leaves the names of files that came with the source in an archive, where the target takes no files of their types: with them its rules would
// refuse the whole document.
func (c *Conversion) nameFiles(inv *invoice.Invoice) (told []finding.Finding) {
	if c.opened.packed == nil || !c.choice.row.Steps.HoldsFiles() {
		return nil
	}
	files := inv.Attachments
	inv.Attachments = nil
	for i, a := range files {
		if c.choice.row.Steps.Attaches(inv, a.MimeType) {
			inv.Attachments = append(inv.Attachments, a)
			continue
		}
		inv.SupportingDocuments = append(inv.SupportingDocuments, invoice.SupportingDocument{ID: a.Filename})
		field := fmt.Sprintf("attachments[%d].content", i)
		told = append(told, finding.Finding{Code: finding.FieldNotWritten, Field: field,
			Message: fmt.Sprintf("%s of %s is not carried: %s has no attachments of the type %s (BT-125-1), and names the file", field, a.Filename, c.choice.token.Name, a.MimeType)})
	}
	return told
}
