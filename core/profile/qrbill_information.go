package profile

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// mostInformation is how many characters message and bill information have together.
const mostInformation = 140

// notForPayment is the message of a QR-bill with the amount 0.00, by language (guidelines §4.3.1).
var notForPayment = map[string]string{"de": "NICHT ZUR ZAHLUNG VERWENDEN", "fr": "NE PAS UTILISER POUR LE PAIEMENT", "it": "NON UTILIZZARE PER IL PAGAMENTO",
	"en": "DO NOT USE FOR PAYMENT"}

// swissInformation: the bill information (Swico, syntax S1) is made of the invoice, as far as there is room beside the message.
var swissInformation = Step{
	Name: "bill information",
	Moves: []Move{{"dueDate", "countrySpecific.billInformation"}, {"paymentTerms.dueDays", "countrySpecific.billInformation"},
		{"buyerReference", "countrySpecific.billInformation"}, {"orderNumber", "countrySpecific.billInformation"},
		{"deliveryDate", "countrySpecific.billInformation"}, {"delivery.date", "countrySpecific.billInformation"},
		{"servicePeriod", "countrySpecific.billInformation"}, {"seller.vatId", "countrySpecific.billInformation"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, swissKeys(d.Invoice)
		if inv.Total.IsSet() && inv.Total.Sign() == 0 && cs.UnstructuredMessage == "" {
			cs.UnstructuredMessage = notForPayment["de"]
		}
		room := mostInformation - len([]rune(cs.UnstructuredMessage))
		if cs.BillInformation == "" {
			cs.BillInformation = billInformation(inv, cs, room)
		} else {
			spendInformed(inv, cs)
		}
		if inv.InvoiceNumber != "" && !strings.Contains(cs.BillInformation, escaped(inv.InvoiceNumber)) {
			d.warn(finding.FieldNotWritten, "invoiceNumber", "invoiceNumber is not written: the bill information of the QR-bill does not have it")
		}
	},
	Restore: func(d *Draft) {
		if cs := d.Invoice.CountrySpecific; cs != nil {
			readInformation(d.Invoice, cs.BillInformation)
		}
	},
}

// informed is a tag of S1 with its value, and the members that stand there alone.
type informed struct {
	tag, value string
	spend      func()
}

// billInformation is the S1 text of an invoice: number and day, and of the rest as much as there is room for.
func billInformation(inv *invoice.Invoice, cs *invoice.CountrySpecific, room int) string {
	if inv.InvoiceNumber == "" || !inv.IssueDate.Valid() {
		return ""
	}
	text := "//S1/10/" + escaped(inv.InvoiceNumber) + "/11/" + shortDay(inv.IssueDate)
	if len([]rune(text)) > room {
		return ""
	}
	for _, e := range entriesOf(inv, cs) {
		more := "/" + e.tag + "/" + escaped(e.value)
		if e.value == "" || len([]rune(text+more)) > room {
			continue
		}
		text += more
		if e.spend != nil {
			e.spend()
		}
	}
	return text
}

// spendInformed takes off the invoice what a given S1 text says.
func spendInformed(inv *invoice.Invoice, cs *invoice.CountrySpecific) {
	told := tags(cs.BillInformation)
	for _, e := range entriesOf(inv, cs) {
		if e.value != "" && e.spend != nil && told[e.tag] == e.value {
			e.spend()
		}
	}
}

// entriesOf are the tags beside number and day, in their order (Swico, syntax definition S1).
func entriesOf(inv *invoice.Invoice, cs *invoice.CountrySpecific) []informed {
	reference, uid := cmp.Or(inv.BuyerReference, inv.OrderNumber), ""
	spendReference := func() { inv.BuyerReference = "" }
	if inv.BuyerReference == "" {
		spendReference = func() { inv.OrderNumber = "" }
	}
	var spendUID func()
	if s := inv.Seller; s != nil {
		if number := digits(s.VATID); strings.HasPrefix(s.VATID, "CHE") && len(number) == 9 {
			uid, spendUID = number, func() { s.VATID = "" }
		}
	}
	if uid == "" && len(digits(cs.UID)) == 9 {
		uid, spendUID = digits(cs.UID), func() { cs.UID = "" }
	}
	served, spendService := service(inv)
	terms, spendTerms := conditions(inv)
	return []informed{{"20", reference, spendReference}, {"30", uid, spendUID}, {"31", served, spendService}, {"32", rates(inv), nil}, {"40", terms, spendTerms}}
}

// service is the day or the period of the service.
func service(inv *invoice.Invoice) (text string, spend func()) {
	if p := inv.ServicePeriod; p != nil && p.Start.Valid() && p.End.Valid() {
		return shortDay(p.Start) + shortDay(p.End), func() { inv.ServicePeriod = nil }
	}
	if inv.DeliveryDate.Valid() {
		return shortDay(inv.DeliveryDate), func() { inv.DeliveryDate = "" }
	}
	if dl := inv.Delivery; dl != nil && dl.Date.Valid() {
		return shortDay(dl.Date), func() { dl.Date = "" }
	}
	return "", nil
}

// rates are the rate alone, or each with its net amount.
func rates(inv *invoice.Invoice) string {
	var list []string
	for _, g := range inv.TaxSummary {
		if !g.TaxRate.IsSet() {
			return ""
		}
		list = append(list, g.TaxRate.Trim().String()+":"+g.NetAmount.WithMinScale(2).String())
	}
	if len(list) == 1 {
		return inv.TaxSummary[0].TaxRate.Trim().String()
	}
	return strings.Join(list, ";")
}

// conditions are the discount for early payment and the days until the bill is due.
func conditions(inv *invoice.Invoice) (text string, spend func()) {
	var list []string
	terms := inv.PaymentTerms
	if terms != nil && terms.EarlyPaymentDiscount != nil && terms.EarlyPaymentDiscount.Days != nil {
		list = append(list, terms.EarlyPaymentDiscount.DiscountPercent.Trim().String()+":"+strconv.Itoa(*terms.EarlyPaymentDiscount.Days))
	}
	spend = func() {}
	switch days, known := daysBetween(inv.IssueDate, inv.DueDate); {
	case known:
		list, spend = append(list, "0:"+strconv.Itoa(days)), func() { inv.DueDate = "" }
	case terms != nil && terms.DueDays != nil && *terms.DueDays >= 0:
		list, spend = append(list, "0:"+strconv.Itoa(*terms.DueDays)), func() { terms.DueDays = nil }
	}
	return strings.Join(list, ";"), spend
}

// shortDay is YYMMDD.
func shortDay(day invoice.Date) string { return strings.ReplaceAll(string(day), "-", "")[2:] }

// escaped puts a backslash before what has a meaning in S1.
func escaped(value string) string {
	return strings.NewReplacer(`\`, `\\`, "/", `\/`).Replace(strings.Join(strings.Fields(value), " "))
}

var shortDate = regexp.MustCompile(`^[0-9]{6}$`)

// readInformation takes from S1 what the invoice has a member for; the payee is the creditor yet. The text stays as it is.
func readInformation(inv *invoice.Invoice, text string) {
	for tag, value := range tags(text) {
		day := invoice.Date("")
		if shortDate.MatchString(value) {
			day = invoice.Date(fmt.Sprintf("20%s-%s-%s", value[:2], value[2:4], value[4:]))
		}
		switch {
		case tag == "10":
			inv.InvoiceNumber = cmp.Or(inv.InvoiceNumber, value)
		case tag == "11" && day.Valid():
			inv.IssueDate = cmp.Or(inv.IssueDate, day)
		case tag == "31" && day.Valid():
			inv.DeliveryDate = cmp.Or(inv.DeliveryDate, day)
		case tag == "30" && len(value) == 9 && digits(value) == value && inv.Payee != nil:
			inv.Payee.VATID = fmt.Sprintf("CHE-%s.%s.%s", value[:3], value[3:6], value[6:])
		}
	}
}

// tags are those of an S1 text with their values; none where it is another.
func tags(text string) map[string]string {
	rest, is := strings.CutPrefix(text, "//S1/")
	if !is {
		return nil
	}
	var parts []string
	var part strings.Builder
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '\\' && i+1 < len(rest):
			i++
			part.WriteByte(rest[i])
		case c == '/':
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(c)
		}
	}
	parts = append(parts, part.String())
	found := map[string]string{}
	for i := 0; i+1 < len(parts); i += 2 {
		found[parts[i]] = parts[i+1]
	}
	return found
}
