package profile

import (
	"slices"
	"testing"
)

// TestUnfit_SaysWhatNoDocumentCanShow ensures BR-16 without lines, and BR-DE-15 for the form of a Leitweg-ID, never for its check digits.
func TestUnfit_SaysWhatNoDocumentCanShow(t *testing.T) {
	const noLine, wrongForm = "BR-16 items", "BR-DE-15 countrySpecific.leitwegId"
	for in, want := range map[string][]string{
		`{"items":[]}`:                    {noLine},
		`{"items":[{"description":"D"}]}`: nil,
		`{"items":[{}],"countrySpecific":{"leitwegId":"04011000-12345-00"}}`: nil,
		`{"items":[{}],"countrySpecific":{"leitwegId":"991-ABC12345-06"}}`:   nil,
		`{"items":[{}],"countrySpecific":{"leitwegId":"04-12"}}`:             nil,
		`{"items":[{}],"countrySpecific":{"leitwegId":"04--12"}}`:            nil,
		`{"items":[{}],"countrySpecific":{"leitwegId":"04011000-12345"}}`:    {wrongForm},
		`{"items":[{}],"countrySpecific":{"leitwegId":"4-12"}}`:              {wrongForm},
		`{"items":[],"countrySpecific":{"leitwegId":"04 12"}}`:               {noLine, wrongForm},
	} {
		if got := codesOf(XRechnung().Unfit(decode(t, in))); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
}

// TestUnfit_HoldsTheTotalAgainstItsParts ensures BR-CO-15 for the profiles whose official rules let any total pass.
func TestUnfit_HoldsTheTotalAgainstItsParts(t *testing.T) {
	for in, want := range map[string][]string{
		`{"items":[{}],"subtotal":100,"total":119.00,"taxSummary":[{"taxAmount":19}]}`:                          nil,
		`{"items":[{}],"subtotal":-100,"total":-119,"taxSummary":[{"taxAmount":-19}]}`:                          nil,
		`{"items":[{}],"subtotal":100,"total":126.00,"taxSummary":[{"taxAmount":19},{"taxAmount":7}]}`:          nil,
		`{"items":[{}],"subtotal":100,"total":100}`:                                                             nil,
		`{"items":[{}],"subtotal":100,"total":119}`:                                                             nil, // the schema misses taxSummary
		`{"items":[{}],"subtotal":100,"total":119.01,"taxSummary":[{"taxAmount":19}]}`:                          {"BR-CO-15 total"},
		`{"items":[{}],"subtotal":100,"total":119,"taxSummary":[{"taxAmount":19},{"taxAmount":7,"taxRate":7}]}`: {"BR-CO-15 total"},
		`{"items":[{}],"subtotal":100,"total":-119,"taxSummary":[{"taxAmount":19}],"type":"credit_note"}`:       {"BR-CO-15 total"},
	} {
		if got := codesOf(Hybrid("zugferd", "urn:cen.eu:en16931:2017").Unfit(decode(t, in))); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", in, got, want)
		}
	}
}
