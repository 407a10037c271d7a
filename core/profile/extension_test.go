package profile

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// linesWithin is an invoice whose line holds others that leave out what the steps fill in.
const linesWithin = `{"type":"invoice","items":[{"description":"A","taxRate":19,"subItems":[` +
	`{"description":"B","gtin":"1","quantity":2,"unitPrice":-5,"netAmount":-10,"taxAmount":-1.9,"taxRate":19},` +
	`{"description":"C","position":7,"taxRate":0,"netAmount":3,"quantity":1,"unitPrice":2,"subItems":[{"description":"D"}]}]}]}`

// TestStepsReachLinesWithinLines ensures that under the extension they are treated as lines are, and keep as they are without it.
func TestStepsReachLinesWithinLines(t *testing.T) {
	inv := decode(t, linesWithin)
	inv.Profile = invoice.ProfileXRechnungExtension
	d := XRechnung().Derive(inv)
	want := decode(t, `{"items":[{"lineId":"1","description":"A","itemDescription":"A","taxRate":19,"taxCategoryCode":"S","subItems":[`+
		`{"lineId":"1.1","description":"B","itemDescription":"B","standardItemId":{"id":"1","schemeId":"0160"},"quantity":-2,"unitPrice":5,"netAmount":-10,"taxRate":19,"taxCategoryCode":"S"},`+
		`{"lineId":"7","description":"C","itemDescription":"C","taxRate":0,"taxCategoryCode":"Z","netAmount":3,"quantity":1,"unitPrice":2,`+
		`"subItems":[{"lineId":"7.1","description":"D","itemDescription":"D"}]}]}]}`)
	if diff := cmp.Diff(want.Items, d.Invoice.Items); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"LINE_SIGN_MOVED items[0].subItems[0].unitPrice", "LINE_NET_MISMATCH items[0].subItems[1].netAmount", "TAX_CATEGORY_ASSUMED items[0].subItems[1].taxCategoryCode"}, codesOf(d.Warnings, d.Errors)); diff != "" {
		t.Error(diff)
	}

	plain := decode(t, linesWithin)
	before := decode(t, linesWithin).Items[0].SubItems
	d = XRechnung().Derive(plain)
	if len(d.Warnings)+len(d.Errors) > 0 {
		t.Errorf("without the extension: %v %v", d.Warnings, d.Errors)
	}
	if diff := cmp.Diff(before, d.Invoice.Items[0].SubItems); diff != "" {
		t.Errorf("without the extension:\n%s", diff)
	}
}

// TestTheExtensionHasNoCreditNote ensures the refusal, and that other types and other profiles are not refused.
func TestTheExtensionHasNoCreditNote(t *testing.T) {
	for _, c := range []struct {
		profile string
		typ     invoice.Type
		says    []string
	}{
		{"xrechnung-extension", invoice.TypeCreditNote, []string{"TYPE_NOT_PERMITTED profile"}},
		{"xrechnung-extension", invoice.TypeSelfBilled, nil},
		{"xrechnung", invoice.TypeCreditNote, nil},
		{"", invoice.TypeCreditNote, nil},
	} {
		inv := decode(t, `{"profile":"`+c.profile+`","type":"`+string(c.typ)+`","total":1}`)
		if diff := cmp.Diff(c.says, codesOf(XRechnung().Derive(inv).Errors)); diff != "" {
			t.Errorf("%s of %q: %s", c.typ, c.profile, diff)
		}
	}
}
