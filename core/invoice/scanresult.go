package invoice

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/finding"
)

// Counts gives what was counted so far, of the invoice that passed a limit or else of the invoice.
func (s *Scanner) Counts() Counts {
	switch {
	case s.over != noTally:
		return s.tally[s.over]
	case s.nested:
		return s.tally[1]
	}
	return s.tally[0]
}

// Depth gives the deepest nesting of objects and arrays so far.
func (s *Scanner) Depth() int { return s.depth }

// Enveloped tells whether the root object has had a member invoice with an object in it so far.
func (s *Scanner) Enveloped() bool { return s.nested }

// Refused tells whether Refusal gives a refusal. Once it does, it stays so: the caller can drop what it has kept of the text
// and only go on writing, so that the counts in the refusal are true.
func (s *Scanner) Refused() bool { return s.over != noTally || s.depth > s.limits.MaxDepth }

// Refusal gives the refusal of a text beyond the limits, or nil: TOO_MANY_LINE_ITEMS with the member lineItems {count, limit},
// SUB_ITEMS_TOO_DEEP, TOO_MANY_INVOICE_LINES, or that of a JSON text which is nested too deeply; in this order.
func (s *Scanner) Refusal() *finding.Refusal {
	counts, limits := s.Counts(), s.limits
	switch {
	case counts.Items > limits.MaxItems:
		refusal := lineRefusal(finding.TooManyLineItems, "items",
			fmt.Sprintf("items has %d entries; at most %d are allowed", counts.Items, limits.MaxItems))
		refusal.Extra = []finding.Extra{{Name: "lineItems", Value: LineItems{Count: counts.Items, Limit: limits.MaxItems}}}
		return refusal
	case counts.SubItemDepth > limits.MaxSubItemDepth:
		field := at("items", s.deep) + ".subItems"
		return lineRefusal(finding.SubItemsTooDeep, field, fmt.Sprintf("%s is nested more than %d levels deep", field, limits.MaxSubItemDepth))
	case counts.Lines > limits.MaxLines:
		return lineRefusal(finding.TooManyInvoiceLines, "items",
			fmt.Sprintf("items has %d lines in all with its subItems; at most %d are allowed", counts.Lines, limits.MaxLines))
	case s.depth > limits.MaxDepth:
		refusal := lineRefusal(finding.JSONTooDeep, "",
			fmt.Sprintf("the JSON text has objects and arrays nested more than %d levels deep", limits.MaxDepth))
		refusal.Word = wordBadRequest
		return refusal
	}
	return nil
}

// LineItems is the member lineItems of a TOO_MANY_LINE_ITEMS answer.
type LineItems struct {
	Count int `json:"count"`
	Limit int `json:"limit"`
}

// wordBadRequest is the value of the member error for input errors that have no word of their own in the contract.
const wordBadRequest = "Bad Request"

func lineRefusal(code, field, message string) *finding.Refusal {
	return &finding.Refusal{Kind: finding.BadRequest, Word: code, Code: code, Field: field, Message: message}
}
