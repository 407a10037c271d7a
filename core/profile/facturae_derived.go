package profile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// FacturaeDerived is an element of Facturae whose text is computed of the invoice.
type FacturaeDerived struct {
	Path   string                        // below the document element
	Fields []string                      // members that it says
	Of     func(*invoice.Invoice) string // its text; empty where it is not written
}

// facturaeBody is what stands before the paths of one invoice of a file.
const facturaeBody = "Invoices/Invoice/"

const (
	facturaeHead       = facturaeBody + "InvoiceHeader/"
	facturaeCorrective = facturaeHead + "Corrective/"
	facturaeWithheld   = facturaeBody + "TaxesWithheld/Tax/"
	facturaeTotals     = facturaeBody + "InvoiceTotals/"
)

// FacturaeText gives the computed element with a path; it panics for one that there is not, which is a fault of the table.
func FacturaeText(path string) FacturaeDerived {
	for _, of := range FacturaeTexts() {
		if of.Path == path {
			return of
		}
	}
	panic("no text is computed for " + path)
}

// FacturaeTexts lists the elements whose texts are computed. What documents state there is read to national first, and stays there where it is
// something else.
func FacturaeTexts() []FacturaeDerived {
	return slices.Concat(facturaePartyTexts(), facturaeDocumentTexts, facturaeWithheldTexts)
}

// facturaePartyTexts are those of the file and of the parties.
func facturaePartyTexts() []FacturaeDerived {
	person := func(of string) func(*invoice.Invoice) string {
		return func(inv *invoice.Invoice) string {
			return map[bool]string{true: "F", false: "J"}[facturaePersonOf(inv, of)]
		}
	}
	return []FacturaeDerived{
		{"FileHeader/InvoiceIssuerType", []string{"countrySpecific.invoiceTypeCode"}, facturaeIssuer},
		{"FileHeader/Batch/BatchIdentifier", nil, facturaeBatch},
		{"FileHeader/ThirdParty/TaxIdentification/PersonTypeCode", nil, func(inv *invoice.Invoice) string {
			if inv.TaxRepresentative == nil {
				return ""
			}
			return "J"
		}},
		{"FileHeader/ThirdParty/TaxIdentification/ResidenceTypeCode", []string{"taxRepresentative.countryCode"}, func(inv *invoice.Invoice) string {
			if inv.TaxRepresentative == nil {
				return ""
			}
			return SpanishResidence(inv.TaxRepresentative.CountryCode)
		}},
		{"Parties/SellerParty/TaxIdentification/PersonTypeCode", []string{"countrySpecific.personType"}, person("seller")},
		{"Parties/SellerParty/TaxIdentification/ResidenceTypeCode", []string{"countrySpecific.residenceType"}, func(inv *invoice.Invoice) string {
			return cmp.Or(countryOf(inv).ResidenceType, SpanishResidence(FacturaeCountry(inv, "seller")))
		}},
		{"Parties/BuyerParty/TaxIdentification/PersonTypeCode", nil, person("buyer")},
		{"Parties/BuyerParty/TaxIdentification/ResidenceTypeCode", nil, func(inv *invoice.Invoice) string { return SpanishResidence(FacturaeCountry(inv, "buyer")) }},
		{assignment + "Assignee/TaxIdentification/PersonTypeCode", nil, ifAssigned(person("payee"))},
		{assignment + "Assignee/TaxIdentification/ResidenceTypeCode", nil, ifAssigned(func(inv *invoice.Invoice) string { return SpanishResidence(FacturaeCountry(inv, "payee")) })},
	}
}

// facturaeDocumentTexts are those of the document and of what it corrects.
var facturaeDocumentTexts = []FacturaeDerived{
	{facturaeHead + "InvoiceDocumentType", []string{"countrySpecific.invoiceTypeCode"}, func(inv *invoice.Invoice) string {
		if countryOf(inv).InvoiceTypeCode == "389" {
			return "AF"
		}
		return "FC"
	}},
	{facturaeHead + "InvoiceClass", []string{"countrySpecific.invoiceTypeCode"}, func(inv *invoice.Invoice) string {
		if FacturaeCorrects(inv) {
			return "OR"
		}
		return "OO"
	}},
	{facturaeCorrective + "ReasonDescription", []string{"countrySpecific.correctionReasonCode"}, func(inv *invoice.Invoice) string {
		return textOfCode(correctionReasons, countryOf(inv).CorrectionReasonCode)
	}},
	{facturaeCorrective + "TaxPeriod/StartDate", nil, func(inv *invoice.Invoice) string { start, _ := correctedPeriod(inv); return start }},
	{facturaeCorrective + "TaxPeriod/EndDate", nil, func(inv *invoice.Invoice) string { _, end := correctedPeriod(inv); return end }},
	{facturaeCorrective + "CorrectionMethodDescription", []string{"countrySpecific.correctionMethod"}, func(inv *invoice.Invoice) string {
		return textOfCode(correctionMethods, countryOf(inv).CorrectionMethod)
	}},
	{facturaeBody + "InvoiceIssueData/ExchangeRateDetails/ExchangeRateDate", nil, func(inv *invoice.Invoice) string {
		if !countryOf(inv).ExchangeRate.IsSet() {
			return ""
		}
		return string(inv.IssueDate)
	}},
}

// facturaeWithheldTexts are those of what the buyer withholds.
var facturaeWithheldTexts = []FacturaeDerived{
	{facturaeWithheld + "TaxTypeCode", nil, ifWithheld(func(*invoice.Invoice) string { return incomeTax })},
	{facturaeWithheld + "TaxRate", []string{"countrySpecific.withholdingRate"}, ifWithheld(func(inv *invoice.Invoice) string { return countryOf(inv).WithholdingRate.WithMinScale(2).String() })},
	{facturaeWithheld + "TaxableBase/TotalAmount", nil, ifWithheld(func(inv *invoice.Invoice) string { return inv.Subtotal.WithMinScale(2).String() })},
	{facturaeWithheld + "TaxAmount/TotalAmount", nil, ifWithheld(func(inv *invoice.Invoice) string { return withheldByRate(inv).WithMinScale(2).String() })},
}

// incomeTax is the tax that is withheld (IRPF).
const incomeTax = "04"

func ifWithheld(of func(*invoice.Invoice) string) func(*invoice.Invoice) string {
	return func(inv *invoice.Invoice) string {
		if !countryOf(inv).WithholdingRate.IsSet() {
			return ""
		}
		return of(inv)
	}
}

// FacturaeCorrects tells whether an invoice is a correction of another one (InvoiceClass OR): a credit note or a correction.
func FacturaeCorrects(inv *invoice.Invoice) bool {
	code := countryOf(inv).InvoiceTypeCode
	return code == "381" || code == "384"
}

// FacturaePerson tells whether a party, by the name of its member, is written as a person. It holds while a document is read as well.
func FacturaePerson(inv *invoice.Invoice, of string) bool {
	if stated := countryOf(inv).National[FacturaeParty(of)+"TaxIdentification/PersonTypeCode"]; len(stated) == 1 {
		return stated[0] == "F"
	}
	return facturaePersonOf(inv, of)
}

func facturaePersonOf(inv *invoice.Invoice, of string) bool {
	if stated := countryOf(inv).PersonType; of == "seller" && stated != "" {
		return stated == "F"
	}
	p := FacturaePartyIn(inv, of)
	return p != nil && *p != nil && personOfNIF(PlainNIF((*p).VATID))
}

func facturaeIssuer(inv *invoice.Invoice) string {
	switch {
	case countryOf(inv).InvoiceTypeCode == "389":
		return "RE"
	case inv.TaxRepresentative != nil:
		return "TE"
	}
	return "EM"
}

// facturaeBatch names a file of one invoice: by the seller's number and those of the invoice.
func facturaeBatch(inv *invoice.Invoice) string {
	number := ""
	if inv.Seller != nil {
		number = PlainNIF(inv.Seller.VATID)
	}
	return clipText(number+countryOf(inv).InvoiceSeries+inv.InvoiceNumber, 70)
}

// correctedPeriod is the month of the invoice that is corrected; that of the correction where its date is not known. 31 days
// after the first of a month are in the month after it, whichever that is.
func correctedPeriod(inv *invoice.Invoice) (start, end string) {
	if !FacturaeCorrects(inv) {
		return "", ""
	}
	day := cmp.Or(inv.ReferencedInvoiceDate, inv.IssueDate)
	if !day.Valid() {
		return "", ""
	}
	first := invoice.Date(string(day[:8]) + "01")
	next := first.AddDays(31)
	return string(first), string(invoice.Date(string(next[:8]) + "01").AddDays(-1))
}

// FacturaeTotal is an element of Facturae whose amount is computed of the invoice.
type FacturaeTotal struct {
	Path, Term, From string
	Of               func(*invoice.Invoice) decimal.Decimal
}

// FacturaeAmount gives the computed amount with a path; it panics for one that there is not, which is a fault of the table.
func FacturaeAmount(path string) FacturaeTotal {
	for _, of := range FacturaeAmounts() {
		if of.Path == path {
			return of
		}
	}
	panic("no amount is computed for " + path)
}

// FacturaeAmounts lists the elements whose amounts are computed, as Facturae defines them (InvoiceTotals, Batch).
func FacturaeAmounts() []FacturaeTotal {
	return []FacturaeTotal{
		{"FileHeader/Batch/TotalInvoicesAmount/TotalAmount", "", "total", facturaeInvoiceTotal},
		{"FileHeader/Batch/TotalOutstandingAmount/TotalAmount", "", "total", facturaeOutstanding},
		{"FileHeader/Batch/TotalExecutableAmount/TotalAmount", "", "total", facturaeExecutable},
		{facturaeTotals + "TotalGrossAmount", "BT-106", "items[].netAmount", facturaeGross},
		{facturaeTotals + "TotalGeneralDiscounts", "BT-107", "allowancesCharges[].amount", func(inv *invoice.Invoice) decimal.Decimal { return facturaeReductions(inv, false) }},
		{facturaeTotals + "TotalGeneralSurcharges", "BT-108", "allowancesCharges[].amount", func(inv *invoice.Invoice) decimal.Decimal { return facturaeReductions(inv, true) }},
		{facturaeTotals + "TotalTaxOutputs", "BT-110", "taxSummary[].taxAmount", facturaeOutputs},
		{facturaeTotals + "TotalTaxesWithheld", "", "countrySpecific.withholdingRate", facturaeTaxWithheld},
		{facturaeTotals + "InvoiceTotal", "BT-112", "total", facturaeInvoiceTotal},
		{facturaeTotals + "TotalOutstandingAmount", "", "total", facturaeOutstanding},
		{facturaeTotals + "TotalExecutableAmount", "BT-115", "total", facturaeExecutable},
		{"InstallmentAmount", "", "total", facturaeInstallment},
	}
}

func facturaeGross(inv *invoice.Invoice) decimal.Decimal {
	sum := decimal.New(0, 2)
	for i := range inv.Items {
		sum = sum.Add(inv.Items[i].NetAmount)
	}
	return sum
}

func facturaeReductions(inv *invoice.Invoice, charges bool) (sum decimal.Decimal) {
	for i := range inv.AllowancesCharges {
		if c := &inv.AllowancesCharges[i]; c.Charge() == charges {
			sum = sum.Add(c.Amount)
		}
	}
	return sum
}

// facturaeOutputs are the taxes of the groups, with the equivalence surcharges that documents state beside them.
func facturaeOutputs(inv *invoice.Invoice) decimal.Decimal {
	sum := decimal.New(0, 2)
	for i := range inv.TaxSummary {
		sum = sum.Add(inv.TaxSummary[i].TaxAmount)
	}
	return sum.Add(nationalSum(inv, facturaeBody+"TaxesOutputs/Tax", "/EquivalenceSurchargeAmount/TotalAmount"))
}

func withheldByRate(inv *invoice.Invoice) decimal.Decimal {
	rate := countryOf(inv).WithholdingRate
	if !rate.IsSet() {
		return decimal.New(0, 2)
	}
	return inv.Subtotal.Mul(rate).Mul(cent).Round(2, decimal.HalfUp)
}

func facturaeTaxWithheld(inv *invoice.Invoice) decimal.Decimal {
	return withheldByRate(inv).Add(nationalSum(inv, facturaeBody+"TaxesWithheld/Tax", "/TaxAmount/TotalAmount"))
}

// facturaeInvoiceTotal is the total with tax (BT-112) less taxes withheld.
func facturaeInvoiceTotal(inv *invoice.Invoice) decimal.Decimal {
	total := inv.Total
	if !total.IsSet() { // while a document is read
		total = inv.Subtotal.Add(facturaeOutputs(inv))
	}
	return total.Sub(facturaeTaxWithheld(inv))
}

func facturaeOutstanding(inv *invoice.Invoice) decimal.Decimal {
	return facturaeInvoiceTotal(inv).Sub(inv.PrepaidAmount).Sub(nationalSum(inv, facturaeTotals+"Subsidies/Subsidy", "/SubsidyAmount"))
}

// facturaeExecutable is what is to be paid now (BT-115).
func facturaeExecutable(inv *invoice.Invoice) decimal.Decimal {
	due := facturaeOutstanding(inv)
	if inv.Retention != nil {
		due = due.Sub(inv.Retention.Amount)
	}
	return due.Add(nationalSum(inv, facturaeTotals+"TotalReimbursableExpenses", "")).Add(nationalSum(inv, facturaeTotals+"TotalFinancialExpenses", ""))
}

// facturaeInstallment is the one payment of an invoice. Several are of a document, which says in national how much each is.
func facturaeInstallment(inv *invoice.Invoice) decimal.Decimal {
	if len(inv.PaymentMethods) > 1 {
		return decimal.New(0, 2)
	}
	return facturaeExecutable(inv)
}

// nationalSum adds up the amounts of national whose paths begin and end so.
func nationalSum(inv *invoice.Invoice, prefix, suffix string) decimal.Decimal {
	sum := decimal.New(0, 2)
	for path, texts := range countryOf(inv).National {
		rest, begins := strings.CutPrefix(path, prefix)
		if !begins || !strings.HasSuffix(rest, suffix) || suffix == "" && rest != "" {
			continue
		}
		for _, text := range texts {
			if amount, err := decimal.Parse(text); err == nil {
				sum = sum.Add(amount)
			}
		}
	}
	return sum
}
