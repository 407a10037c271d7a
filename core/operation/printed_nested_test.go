package operation

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/country"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// nestedLines is a sample with so many levels of sub-items below its first line; each is called by its level.
func nestedLines(t *testing.T, levels int) *invoice.Invoice {
	t.Helper()
	inv := sampleOf(t, "DE")
	var below []invoice.Item
	for level := levels; level > 0; level-- {
		item := inv.Items[0]
		item.Description, item.SubItems = fmt.Sprintf("Level<%d>", level), below
		item.Attributes = []invoice.Attribute{{Name: "colour", Value: "red"}}
		below = []invoice.Item{item}
	}
	inv.Items[0].SubItems = below
	return inv
}

// TestLayOut_ShowsAllLevelsThatAnInvoiceMayHave ensures that the 100 levels of sub-items of the contract come to the page.
func TestLayOut_ShowsAllLevelsThatAnInvoiceMayHave(t *testing.T) {
	page := onPage(t, newService(t), &country.Country{Code: "DE"}, "de", nestedLines(t, 100))
	for level := range 100 {
		if line := fmt.Sprintf("Level<%d>", level+1); !strings.Contains(page, line) {
			t.Errorf("%s is not on a page", line)
		}
	}
}

// TestLayOut_RefusesLinesThatNestTooDeep ensures that documents that were not held to the levels of the contract, since they are no JSON, get an
// answer that says what is wrong with them.
func TestLayOut_RefusesLinesThatNestTooDeep(t *testing.T) {
	_, err := newService(t).layOut(t.Context(), format.Country{Code: "DE"}, nestedLines(t, 150), look{language: "de", builtIn: true}, nil)
	r, ok := errors.AsType[*finding.Refusal](err)
	if !ok || r.Kind != finding.BadRequest || r.Field != "items" || !strings.Contains(r.Message, "nest too deep") {
		t.Errorf("%+v", err)
	}
}
