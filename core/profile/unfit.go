package profile

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// leitwegForm is the form of a Leitweg-ID: coarse address, fine address and check digits (contract, rule BR-DE-15). Check digits are not
// judged: published sample invoices fail them.
var leitwegForm = regexp.MustCompile(`^[0-9]{2,12}(-[0-9A-Za-z]{0,30})?-[0-9]{2}$`)

// Unfit says of the caller's invoice which rules it breaks that no document can show: without a line there is nothing to write, in a
// document a Leitweg-ID is a reference like any other, and some official rules let any total pass.
func (p *Profile) Unfit(inv *invoice.Invoice) []finding.Finding {
	var unfit []finding.Finding
	if len(inv.Items) == 0 && !p.Lineless {
		unfit = append(unfit, finding.Finding{Code: "BR-16", Field: "items", Message: "items is empty: an invoice has at least one line (BG-25)"})
	}
	if cs := inv.CountrySpecific; p.Country == "DE" && cs != nil && cs.LeitwegID != "" && !leitwegForm.MatchString(cs.LeitwegID) {
		unfit = append(unfit, finding.Finding{Code: "BR-DE-15", Field: "countrySpecific.leitwegId",
			Message: "countrySpecific.leitwegId is not of the form of a Leitweg-ID: 2 to 12 digits, up to 30 letters or digits where there is a fine address, " +
				"and 2 check digits, separated by hyphens, such as 04011000-12345-03; any other reference of the buyer (BT-10) belongs in buyerReference"})
	}
	if p.GrandTotal && !beyondVAT(inv) {
		unfit = append(unfit, grandTotal(inv)...)
	}
	return unfit
}

// grandTotal holds BT-112 against BT-109 and BT-110 (EN 16931-1, BR-CO-15). Without a tax group there is no BT-110 to hold it against: then
// the schema finds the group missing, which is the cause.
func grandTotal(inv *invoice.Invoice) []finding.Finding {
	if len(inv.TaxSummary) == 0 {
		return nil
	}
	due := en16931.TotalWithTax(inv)
	if !inv.Total.IsSet() || !inv.Subtotal.IsSet() || inv.Total.Cmp(due) == 0 {
		return nil
	}
	return []finding.Finding{{Code: "BR-CO-15", Field: "total",
		Message: fmt.Sprintf("total (BT-112) is %s, but subtotal (BT-109) %s plus the VAT of taxSummary (BT-110), %s, gives %s", inv.Total, inv.Subtotal, en16931.TotalTax(inv), due)}}
}

// beyondVAT tells whether the total of an invoice has taxes in it that its national format states beside the VAT. They are
// OtherTax and OtherVATableTax of ebInterface, and the recargo de equivalencia of Facturae.
func beyondVAT(inv *invoice.Invoice) bool {
	if inv.CountrySpecific == nil {
		return false
	}
	for path := range inv.CountrySpecific.National {
		if strings.Contains(path, "OtherTax") || strings.Contains(path, "OtherVATableTax") || strings.Contains(path, "/EquivalenceSurchargeAmount") {
			return true
		}
	}
	return false
}

// HalfPeriod gives the first service period with one date only, where the format needs both; empty where there is none.
func (p *Profile) HalfPeriod(inv *invoice.Invoice) string {
	half := func(period *invoice.Period) bool { return period != nil && (period.Start == "") != (period.End == "") }
	if !p.BothDates {
		return ""
	}
	if half(inv.ServicePeriod) {
		return "servicePeriod"
	}
	for at, it := range inv.Lines() {
		if half(it.ServicePeriod) {
			return at.String() + ".servicePeriod"
		}
	}
	return ""
}
