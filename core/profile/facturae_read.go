package profile

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// facturaeRead makes of what a document states what the invoice says, and leaves in national what it computes otherwise. The
// order counts: groups without tax take their category from the lines, and discounts of the document theirs from the groups.
// What is computed is held against at the end, when the invoice is whole.
var facturaeRead = Step{Name: "reading", Restore: func(d *Draft) {
	inv, cs := d.Invoice, specificOf(d.Invoice)
	restoreFacturaeType(cs)
	restoreFacturaeLines(inv)
	restoreFacturaeGroups(inv)
	restoreReductions(inv)
	restoreFacturaePrepaid(inv)
	restoreAttachmentNames(inv)
	restorePersonType(inv)
	inv.Total = inv.Subtotal.Add(facturaeOutputs(inv))
	restoreWithheld(inv)
	for _, of := range FacturaeTexts() {
		if texts := cs.National[of.Path]; len(texts) == 1 && texts[0] == of.Of(inv) {
			delete(cs.National, of.Path)
		}
	}
	for _, of := range FacturaeAmounts() {
		for _, path := range amountPaths(inv, of.Path) {
			if stated, ok := amountAt(cs, path); ok && stated.Cmp(of.Of(inv)) == 0 {
				delete(cs.National, path)
			}
		}
	}
	if len(cs.National) == 0 {
		cs.National = nil
	}
}}

// amountPaths are the places of a computed amount: each payment has one.
func amountPaths(inv *invoice.Invoice, path string) []string {
	if path != "InstallmentAmount" {
		return []string{path}
	}
	if len(inv.PaymentMethods) > 1 {
		return nil // several payments are parts
	}
	return []string{installment(inv, 0) + path}
}

// amountAt is an amount of national.
func amountAt(cs *invoice.CountrySpecific, path string) (decimal.Decimal, bool) {
	texts := cs.National[path]
	if len(texts) != 1 {
		return decimal.Decimal{}, false
	}
	amount, err := decimal.Parse(strings.TrimSpace(texts[0]))
	return amount, err == nil
}

// put puts a text into the national of an invoice that is being read.
func put(inv *invoice.Invoice, path, text string) {
	cs := specificOf(inv)
	if cs.National == nil {
		cs.National = invoice.National{}
	}
	cs.National[path] = []string{text}
}

// restoreFacturaeType gives the code of the type, which class and kind of the document tell. OR is a corrective invoice and
// CR the copy of one; AF is self-billing.
func restoreFacturaeType(cs *invoice.CountrySpecific) {
	class, kind := strings.Join(cs.National[facturaeHead+"InvoiceClass"], ""), strings.Join(cs.National[facturaeHead+"InvoiceDocumentType"], "")
	switch {
	case class == "OR" || class == "CR":
		cs.InvoiceTypeCode = "384"
	case kind == "AF":
		cs.InvoiceTypeCode = "389"
	default:
		cs.InvoiceTypeCode = "380"
	}
}

// restoreFacturaeLines gives lines without tax their category, which Facturae has in no element: the special event tells it, then a
// reverse charge of the whole invoice. Amounts that the document states otherwise than they are computed stay in national, so
// that the same document can be made of the invoice.
func restoreFacturaeLines(inv *invoice.Invoice) {
	reversed := takeReverseCharge(inv, false) != ""
	for i := range inv.Items {
		it := &inv.Items[i]
		it.Unit, it.LineID = cmp.Or(it.Unit, "C62"), cmp.Or(it.LineID, strconv.Itoa(i+1))
		event := it.NatureCode
		it.NatureCode = ""
		switch {
		case it.TaxRate.Sign() != 0:
			it.TaxCategoryCode = cmp.Or(it.TaxCategoryCode, "S")
			keepEvent(inv, i, event)
		case it.TaxCategoryCode != "S" && it.TaxCategoryCode != "": // IPSI and IGIC
			keepEvent(inv, i, event)
		case event != "":
			it.TaxCategoryCode = categoryOfEvent(inv, event, it.TaxExemptionReason)
		case reversed:
			it.TaxCategoryCode = "AE"
		default:
			it.TaxCategoryCode = "Z"
		}
		if tax := invoice.TaxOf(it.NetAmount, it.TaxRate); it.TaxAmount.IsSet() && it.TaxAmount.Cmp(tax) != 0 {
			put(inv, linePath(inv, i)+"TaxesOutputs/Tax"+taxIndex(inv, i)+"/TaxAmount/TotalAmount", it.TaxAmount.String())
		}
		if it.GrossAmount.IsSet() && it.GrossAmount.Cmp(facturaeCost(it)) != 0 {
			put(inv, linePath(inv, i)+"TotalCost", it.GrossAmount.String())
		}
		cost := facturaeCost(it)
		for j := range it.Allowances {
			c := &it.Allowances[j]
			explain(&c.Reason, "Descuento", &c.BaseAmount, c.Percentage, c.Amount, cost)
		}
		for j := range it.Charges {
			c := &it.Charges[j]
			explain(&c.Reason, "Cargo", &c.BaseAmount, c.Percentage, c.Amount, cost)
		}
		it.TaxAmount, it.GrossAmount = decimal.Decimal{}, decimal.Decimal{}
		if it.TaxCategoryCode == "O" {
			it.TaxRate = decimal.Decimal{}
		}
	}
}

// explain says what a discount or surcharge is where it does not say why it is there, and of what amount its percentage is.
func explain(reason *string, name string, base *decimal.Decimal, percentage, amount, of decimal.Decimal) {
	*reason = cmp.Or(*reason, name)
	if percentage.Sign() != 0 && near(of.Mul(percentage).Mul(cent), amount) {
		*base = of
	}
}

// taxIndex is the index of the tax of a line that is in its members: national has those of a line with several.
func taxIndex(inv *invoice.Invoice, i int) string {
	if _, several := countryOf(inv).National[linePath(inv, i)+"TaxesOutputs/Tax[2]/TaxRate"]; several {
		return "[1]"
	}
	return ""
}

// keepEvent keeps the special event of a line with tax, and its reason.
func keepEvent(inv *invoice.Invoice, i int, event string) {
	it := &inv.Items[i]
	if event != "" {
		put(inv, linePath(inv, i)+"SpecialTaxableEvent/SpecialTaxableEventCode", event)
	}
	if it.TaxExemptionReason != "" {
		put(inv, linePath(inv, i)+"SpecialTaxableEvent/SpecialTaxableEventReason", it.TaxExemptionReason)
		it.TaxExemptionReason = ""
	}
}

// categoryOfEvent is the category of a line with a special event: by the words of its reason, else by where the buyer is.
func categoryOfEvent(inv *invoice.Invoice, event, reason string) string {
	if event == outsideEvent {
		return "O"
	}
	lower := strings.ToLower(reason)
	for _, row := range withoutTax {
		for word := range strings.SplitSeq(row.words, "|") {
			if word != "" && strings.Contains(lower, word) {
				return row.category
			}
		}
	}
	return "E"
}

// takeReverseCharge is the legal reference of a reverse charge, which goes from the notes if it is taken.
func takeReverseCharge(inv *invoice.Invoice, take bool) string {
	for i, n := range inv.NoteEntries {
		if saysReverseCharge(n.Text) {
			if take {
				if inv.NoteEntries = append(inv.NoteEntries[:i:i], inv.NoteEntries[i+1:]...); len(inv.NoteEntries) == 0 {
					inv.NoteEntries = nil
				}
			}
			return n.Text
		}
	}
	return ""
}

// restoreFacturaeGroups gives the groups without tax their category, which their lines tell, and the reason.
func restoreFacturaeGroups(inv *invoice.Invoice) {
	nets, reasons, order := untaxedNets(inv)
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		if g.TaxRate.Sign() != 0 || g.TaxCategoryCode != "S" && g.TaxCategoryCode != "" {
			g.TaxCategoryCode = cmp.Or(g.TaxCategoryCode, "S")
			continue
		}
		g.TaxCategoryCode, order = categoryOfGroup(g, nets, order)
		row := untaxedRow(g.TaxCategoryCode)
		g.ExemptionReasonCode = row.vatex
		if reason := reasons[g.TaxCategoryCode]; reason != row.provision || row.vatex == "" {
			g.ExemptionReason = reason
		}
		switch g.TaxCategoryCode {
		case "O":
			g.TaxRate = decimal.Decimal{}
		case "AE":
			if text := takeReverseCharge(inv, true); text != reverseChargeText {
				g.ExemptionReason = strings.TrimPrefix(text, "Inversión del sujeto pasivo: ")
			}
		}
		if !g.TaxAmount.IsSet() {
			g.TaxAmount = decimal.New(0, 2)
		}
	}
}

// categoryOfGroup is that of a group without tax: the only one that the lines have, else the one whose lines have its amount. It gives the
// categories that are left.
func categoryOfGroup(g *invoice.TaxSummary, nets map[string]decimal.Decimal, order []string) (string, []string) {
	if len(order) == 1 {
		return order[0], order
	}
	for at, category := range order {
		if nets[category].Cmp(g.NetAmount) == 0 {
			return category, append(order[:at:at], order[at+1:]...)
		}
	}
	return "Z", order
}

// untaxedNets are the net amounts of lines without tax and their reasons by category, and the categories in their order. The lines let their
// reasons go.
func untaxedNets(inv *invoice.Invoice) (nets map[string]decimal.Decimal, reasons map[string]string, order []string) {
	nets, reasons = map[string]decimal.Decimal{}, map[string]string{}
	for i := range inv.Items {
		it := &inv.Items[i]
		if it.TaxRate.Sign() != 0 || it.TaxCategoryCode == "L" || it.TaxCategoryCode == "M" {
			continue
		}
		if _, known := nets[it.TaxCategoryCode]; !known {
			order = append(order, it.TaxCategoryCode)
		}
		nets[it.TaxCategoryCode] = nets[it.TaxCategoryCode].Add(it.NetAmount)
		if it.TaxExemptionReason != "" && reasons[it.TaxCategoryCode] == "" {
			reasons[it.TaxCategoryCode] = it.TaxExemptionReason
		}
		if it.TaxExemptionReason == reasons[it.TaxCategoryCode] {
			it.TaxExemptionReason = ""
		}
	}
	for i := range inv.Items {
		if it := &inv.Items[i]; it.TaxExemptionReason != "" { // another one than that of its group
			put(inv, linePath(inv, i)+"SpecialTaxableEvent/SpecialTaxableEventReason", it.TaxExemptionReason)
			it.TaxExemptionReason = ""
		}
	}
	return nets, reasons, order
}

// restoreReductions gives discounts and surcharges of the document, of which Facturae does not say the tax, the group whose lines do not
// explain its amount; else the first.
func restoreReductions(inv *invoice.Invoice) {
	if len(inv.AllowancesCharges) == 0 || len(inv.TaxSummary) == 0 {
		return
	}
	lines := map[invoice.TaxKey]decimal.Decimal{}
	for i := range inv.Items {
		it := &inv.Items[i]
		key := invoice.TaxKeyOf(it.TaxCategoryCode, it.TaxRate)
		lines[key] = lines[key].Add(it.NetAmount)
	}
	open := make([]decimal.Decimal, len(inv.TaxSummary))
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		open[i] = g.NetAmount.Sub(lines[invoice.TaxKeyOf(g.TaxCategoryCode, g.TaxRate)])
	}
	for i := range inv.AllowancesCharges {
		c := &inv.AllowancesCharges[i]
		amount := c.Amount
		if !c.Charge() {
			amount = amount.Neg()
		}
		at := groupOpen(open, amount)
		open[at] = open[at].Sub(amount)
		explain(&c.Reason, map[bool]string{true: "Cargo", false: "Descuento"}[c.Charge()], &c.BaseAmount, c.Percentage, c.Amount, facturaeGross(inv))
		c.TaxCategoryCode, c.TaxRate = inv.TaxSummary[at].TaxCategoryCode, inv.TaxSummary[at].TaxRate
	}
}

// groupOpen is the group whose rest is an amount, else the first with a rest of its sign, else the first.
func groupOpen(open []decimal.Decimal, amount decimal.Decimal) int {
	for i := range open {
		if open[i].Cmp(amount) == 0 {
			return i
		}
	}
	for i := range open {
		if open[i].Sign() != 0 && open[i].Sign() == amount.Sign() {
			return i
		}
	}
	return 0
}

// restoreFacturaePrepaid: what was prepaid is the sum of the payments on account.
func restoreFacturaePrepaid(inv *invoice.Invoice) {
	if len(inv.Prepayments) == 0 {
		return
	}
	var sum decimal.Decimal
	for i := range inv.Prepayments {
		sum = sum.Add(inv.Prepayments[i].Amount)
	}
	if stated := inv.PrepaidAmount; stated.IsSet() && stated.Cmp(sum) != 0 {
		put(inv, facturaeTotals+"TotalPaymentsOnAccount", stated.String())
	}
	inv.PrepaidAmount = sum
}

// restoreAttachmentNames gives attached documents names that have none, and their types.
func restoreAttachmentNames(inv *invoice.Invoice) {
	for i := range inv.Attachments {
		a := &inv.Attachments[i]
		if a.MimeType == "" {
			a.MimeType = "application/octet-stream"
		}
		if a.Filename == "" {
			_, extension, _ := strings.Cut(a.MimeType, "/")
			if len(extension) > 4 {
				extension = "bin"
			}
			a.Filename = fmt.Sprintf("anexo-%d.%s", i+1, extension)
		}
	}
}

// restorePersonType makes the key of what the document says of the seller otherwise than its number does.
func restorePersonType(inv *invoice.Invoice) {
	cs := specificOf(inv)
	const of = "Parties/SellerParty/TaxIdentification/"
	key := func(path string, member *string) {
		if stated := cs.National[of+path]; len(stated) == 1 && stated[0] != FacturaeText(of+path).Of(inv) {
			*member = stated[0]
			delete(cs.National, of+path)
		}
	}
	key("PersonTypeCode", &cs.PersonType)
	key("ResidenceTypeCode", &cs.ResidenceType)
}

// restoreWithheld makes the key of one income tax on the whole invoice; what is withheld otherwise stays in national. The key
// is set before the amount is held against it, since the computed one is of the key.
func restoreWithheld(inv *invoice.Invoice) {
	cs := specificOf(inv)
	rate, ok := amountAt(cs, facturaeWithheld+"TaxRate")
	if !ok || len(cs.National[facturaeWithheld+"TaxTypeCode"]) != 1 || cs.National[facturaeWithheld+"TaxTypeCode"][0] != incomeTax {
		return
	}
	base, told := amountAt(cs, facturaeWithheld+"TaxableBase/TotalAmount")
	amount, both := amountAt(cs, facturaeWithheld+"TaxAmount/TotalAmount")
	cs.WithholdingRate = rate
	if !told || !both || base.Cmp(inv.Subtotal) != 0 || amount.Cmp(withheldByRate(inv)) != 0 {
		cs.WithholdingRate = decimal.Decimal{}
		return
	}
	for _, name := range []string{"TaxTypeCode", "TaxRate", "TaxableBase/TotalAmount", "TaxAmount/TotalAmount"} {
		delete(cs.National, facturaeWithheld+name)
	}
}
