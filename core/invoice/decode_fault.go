package invoice

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
)

// encodingFault says why a text cannot be JSON in UTF-8 by its first bytes; "" where they are in order.
func encodingFault(body []byte) string {
	switch {
	case len(bytes.TrimLeft(body, " \t\r\n")) == 0:
		return "it is empty"
	case bytes.HasPrefix(body, []byte("\xFE\xFF")), bytes.HasPrefix(body, []byte("\xFF\xFE")), bytes.IndexByte(body[:min(2, len(body))], 0) >= 0:
		return "it is not UTF-8"
	}
	return ""
}

// fail ends reading with a syntax error.
func (r *reader) fail(err error) {
	if r.refusal != nil {
		return
	}
	reason, where := err.Error(), r.json.InputOffset()
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		reason, where = syntax.Err.Error(), syntax.ByteOffset
	}
	reason = strings.TrimPrefix(reason, "jsontext: ")
	if strings.Contains(reason, "EOF") {
		reason = "it ends in the middle"
	}
	r.refusal = notJSON(r.field(), reason+position(r.body, where))
	r.refusal.Cause = err
}

// notJSON is the refusal of a text that is not JSON; field is where reading had come to.
func notJSON(field, reason string) *finding.Refusal {
	if field != "" {
		reason += ", in " + field
	}
	return &finding.Refusal{
		Kind: finding.BadRequest, Word: wordBadRequest, Code: finding.InvalidJSON, Field: field,
		Message: "the request is not valid JSON: " + reason,
	}
}

// position gives line and column of an offset for people, counted from 1, the column in characters.
func position(body []byte, offset int64) string {
	before := body[:min(max(offset, 0), int64(len(body)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
	return fmt.Sprintf(" at line %d, column %d", line, column)
}

func attachmentsTooLarge(size, limit int) *finding.Refusal {
	return &finding.Refusal{
		Kind: finding.TooLarge, Word: finding.PayloadTooLarge, Code: finding.PayloadTooLarge, Field: "attachments",
		Message: fmt.Sprintf("attachments have %d bytes together when decoded; at most %d are allowed", size, limit),
		Extra:   []finding.Extra{{Name: "limit", Value: limit}},
	}
}

// listTooLong is the refusal of a list with more entries than an invoice may have lines.
func listTooLong(field string, most int) *finding.Refusal {
	message := fmt.Sprintf("%s has more than %d entries, which is the most that a list may have", field, most)
	return &finding.Refusal{
		Kind: finding.BadRequest, Word: wordBadRequest, Field: field, Message: message,
		Errors: []finding.Finding{{Code: finding.TooManyEntries, Field: field, Message: message}},
		Extra:  []finding.Extra{{Name: "maximum", Value: most}},
	}
}

// Refuse makes one refusal of input errors: nil of none. The message is that of the first error, since many clients show only
// that, with the count of the others. It has no code at the top: codes of input errors stand in the entries only.
func Refuse(errs []finding.Finding) error {
	if len(errs) == 0 {
		return nil
	}
	message := errs[0].Message
	if n := len(errs) - 1; n > 0 {
		message += fmt.Sprintf(" (and %d more: see errors)", n)
	}
	return &finding.Refusal{
		Kind: finding.BadRequest, Word: wordBadRequest, Field: errs[0].Field, Message: message, Errors: errs,
	}
}
