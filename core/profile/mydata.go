package profile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// MyData is myDATA of Greece (AADE, InvoicesDoc 2.0.1). Its canonical invoice has the vatCategory of a line in taxCategoryName, the number
// without its series, tax numbers without their country, and the sums of the income classifications in
// countrySpecific.taxBreakdown.
//
// Parties come before the type of document, which asks whether the buyer has a number, and this before income and VAT, which
// are by the type. greekTotals is the first step when a document is read: what it states is held against its lines before
// anything is let go.
func MyData() *Profile {
	return New(Profile{
		Token: "mydata", Country: "GR", TypeCodes: []string{"380", "381", "384", "389"},
		Refused: map[invoice.Type]string{invoice.TypeProforma: "myDATA has no pro forma invoice; send it as pdf"},
		Steps: []Step{
			typeCode, greekMeta, greekCredit, leafLines, greekAmounts, taxCategories, exemptionReasons, greekParties, greekType, greekCharges, greekIncome, greekTaxes,
			greekLines, greekTexts, greekNumber, precedingInvoices, deliveryDay, dispatchDay, greekPeriods, prepayments, paymentMeans, plainIBANs, accounts, greekPayment,
			contacts, greekRate, greekTotals,
		},
	})
}

// invoiceTypeForm is a type of document of myDATA.
var invoiceTypeForm = regexp.MustCompile(`^[0-9]{1,2}(\.[0-9]{1,2})?$`)

// greekMeta: what the authority gives documents is read and not written.
var greekMeta = Step{
	Name: "marks of the authority",
	Derive: func(d *Draft) {
		cs := specificOf(d.Invoice)
		const why = "the authority gives it to a document that it has taken"
		leave(d, &cs.Mark, "countrySpecific.mark", why)
		leave(d, &cs.UID, "countrySpecific.uid", why)
		leave(d, &cs.QRURL, "countrySpecific.qrUrl", why)
	},
	Restore: func(d *Draft) {
		cs := specificOf(d.Invoice)
		cs.CountryCode = "GR"
		if len(cs.National) == 0 {
			cs.National = nil
		}
	},
}

// greekCredit: amounts of myDATA have no sign. A credit is a document of its own.
var greekCredit = Step{
	Name: "signs",
	Derive: func(d *Draft) {
		inv := d.Invoice
		code := specificOf(inv).InvoiceTypeCode
		if (code == "381" || code == "384") && negativeTotals(inv) {
			if code == "384" {
				specificOf(inv).InvoiceTypeCode = "381"
			}
			negate(inv)
			d.warn(finding.CreditNoteSignFlipped, "total",
				"total is negative on a credit note: quantities and amounts are written with the opposite sign, as amounts of myDATA have none")
		}
	},
}

// The types of documents by what is sold and to whom (AADE, myDATA, types of documents).
var (
	saleTypes    = map[string]string{"GR": "1.1", "EU": "1.2", "": "1.3", retailBuyer: "11.1"}
	serviceTypes = map[string]string{"GR": "2.1", "EU": "2.2", "": "2.3", retailBuyer: "11.2"}
	creditTypes  = []string{"5.1", "5.2", "11.4"}
)

// retailBuyer stands for a buyer without a number.
const retailBuyer = "retail"

// correlatedPath is where a document names the MARK of others.
const correlatedPath = "invoice/invoiceHeader/correlatedInvoices"

// greekType: the type of document follows from the type, the buyer and what is sold, unless the national key names it.
var greekType = Step{
	Name:    "type of document",
	Copies:  []Move{{"type", "countrySpecific.mydataInvoiceType"}},
	Moves:   []Move{{"countrySpecific.correlatedMarks", "countrySpecific.national"}},
	Derive:  deriveGreekType,
	Restore: restoreGreekType,
}

func deriveGreekType(d *Draft) {
	inv, cs := d.Invoice, specificOf(d.Invoice)
	const field = "countrySpecific.mydataInvoiceType"
	credit := cs.InvoiceTypeCode == "381"
	switch given := cs.MyDataInvoiceType; {
	case given == "":
		cs.MyDataInvoiceType = d.typeOfGreek()
	case !invoiceTypeForm.MatchString(given):
		d.refuse(finding.GreekInvoiceType, field, "%s is %q, which is no type of myDATA; give one such as 1.1 or 2.1", field, given)
	case credit != slices.Contains(creditTypes, given):
		d.refuse(finding.TypeContradiction, field, "%s %s contradicts type %q: 5.1, 5.2 and 11.4 are the credit notes of myDATA", field, given, inv.Type)
	case given == "5.1" && len(cs.CorrelatedMarks) == 0 && cs.National[correlatedPath] == nil:
		d.refuse(finding.GreekMissingMark, "countrySpecific.correlatedMarks", "countrySpecific.correlatedMarks is missing: a credit note 5.1 names the MARK of its invoice; 5.2 names none")
	}
	for i, mark := range cs.CorrelatedMarks {
		if _, err := strconv.ParseInt(mark, 10, 64); err != nil {
			at := entry("countrySpecific.correlatedMarks", i)()
			d.refuse(finding.InvalidValue, at, "%s is %q, which is no MARK: it is a number of digits", at, mark)
		}
	}
	if len(cs.CorrelatedMarks) > 0 {
		d.national()[correlatedPath] = cs.CorrelatedMarks
		cs.CorrelatedMarks = nil
	}
}

// typeOfGreek chooses the type of a document and tells what was assumed.
func (d *Draft) typeOfGreek() string {
	inv, cs := d.Invoice, specificOf(d.Invoice)
	const field = "countrySpecific.mydataInvoiceType"
	region, marked := regionOf(inv.Buyer), len(cs.CorrelatedMarks) > 0
	service := sellsServices(inv)
	chosen := saleTypes[region]
	if service {
		chosen = serviceTypes[region]
	}
	switch {
	case cs.InvoiceTypeCode == "381" && region == retailBuyer:
		return "11.4"
	case cs.InvoiceTypeCode == "381" && marked:
		return "5.1"
	case cs.InvoiceTypeCode == "381":
		d.warn(finding.GreekMissingMark, "countrySpecific.correlatedMarks",
			"countrySpecific.correlatedMarks is missing: 5.2 is written, a credit note that names no invoice; give the MARK of the invoice for 5.1")
		return "5.2"
	case cs.InvoiceTypeCode == "384" && marked && service:
		return "2.4"
	case cs.InvoiceTypeCode == "384" && marked:
		return "1.6"
	case cs.InvoiceTypeCode == "384":
		d.refuse(finding.MissingField, "countrySpecific.correlatedMarks", "countrySpecific.correlatedMarks is missing: a supplementary invoice (1.6, 2.4) names the MARK of the one that it adds to")
	}
	d.warn(finding.ValueAssumed, field, "%s is missing: %s is written, by the buyer and the units of the lines; send it where another type is meant", field, chosen)
	return chosen
}

// serviceUnits are units of time, in which services are sold.
var serviceUnits = []string{"HUR", "DAY", "MON", "MIN", "WEE", "ANN"}

// sellsServices tells whether all lines are of units of time.
func sellsServices(inv *invoice.Invoice) bool {
	return len(inv.Items) > 0 && !slices.ContainsFunc(inv.Items, func(it invoice.Item) bool { return !slices.Contains(serviceUnits, it.Unit) })
}

// regionOf tells where a buyer is: GR, EU or elsewhere, or that it has no number.
func regionOf(buyer *invoice.Party) string {
	switch {
	case buyer == nil || buyer.VATID == "":
		return retailBuyer
	case buyer.CountryCode == "GR":
		return "GR"
	case slices.Contains(memberStates, buyer.CountryCode):
		return "EU"
	}
	return ""
}

// memberStates are the member states of the European Union without Greece.
var memberStates = strings.Fields("AT BE BG CY CZ DE DK EE ES FI FR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK")

func restoreGreekType(d *Draft) {
	inv, cs := d.Invoice, specificOf(d.Invoice)
	switch {
	case slices.Contains(creditTypes, cs.MyDataInvoiceType):
		cs.InvoiceTypeCode = "381"
	case cs.InvoiceTypeCode == "":
		cs.InvoiceTypeCode = "380"
		if cs.MyDataInvoiceType == "1.6" || cs.MyDataInvoiceType == "2.4" {
			cs.InvoiceTypeCode = "384"
		}
	}
	if marks := takeNational(inv, correlatedPath); len(marks) > 0 {
		cs.CorrelatedMarks = marks
	}
}

// takeNational takes the texts of a path out of national.
func takeNational(inv *invoice.Invoice, path string) []string {
	cs := specificOf(inv)
	texts := cs.National[path]
	delete(cs.National, path)
	return texts
}

// numberForm takes a number apart: series, what joins them, and the number of digits at the end.
var numberForm = regexp.MustCompile(`^(?:(.*?)([-/_. ]?))?([0-9]+)$`)

// greekNumber: a number has a series and digits (aa). The series is what stands before the last digits, 0 where there is none.
var greekNumber = Step{
	Name:   "series and number",
	Copies: []Move{{"invoiceNumber", "countrySpecific.series"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		number := inv.InvoiceNumber
		if cs.Series != "" {
			rest := strings.TrimPrefix(number, cs.Series)
			if rest != number {
				rest = strings.TrimLeft(rest, "-/_. ")
			}
			inv.InvoiceNumber = rest
		} else {
			cs.Series, inv.InvoiceNumber = splitGreekNumber(number)
		}
		greek := inv.Seller != nil && inv.Seller.CountryCode == "GR"
		if inv.InvoiceNumber == "" || greek && strings.Trim(inv.InvoiceNumber, "0123456789") != "" {
			d.refuse(finding.GreekNumberRequired, "invoiceNumber", "invoiceNumber %q has no digits at the end: myDATA wants a number of digits (aa) behind the series; "+
				"give one such as A-123, or the series in countrySpecific.series", number)
		}
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		series, aa := cs.Series, inv.InvoiceNumber
		if inv.InvoiceNumber = aa; series != "" && series != "0" {
			inv.InvoiceNumber = series + "-" + aa
		}
		if s, n := splitGreekNumber(inv.InvoiceNumber); s == series && n == aa {
			cs.Series = ""
		}
	},
}

// splitGreekNumber gives series and aa of a number; a number without digits at the end is all aa.
func splitGreekNumber(number string) (series, aa string) {
	found := numberForm.FindStringSubmatch(number)
	if found == nil {
		return "0", number
	}
	if found[1] == "" {
		return "0", strings.TrimLeft(number, "-/_. ")
	}
	return found[1], found[3]
}

// greekPeriods: myDATA has no periods of service.
var greekPeriods = Step{
	Name: "periods",
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.ServicePeriod != nil {
			d.warn(finding.PeriodNotRepresentable, "servicePeriod", "servicePeriod is not written: myDATA has no place for a period of service")
			inv.ServicePeriod = nil
		}
		told := false
		for i := range inv.Items {
			if inv.Items[i].ServicePeriod != nil && !told {
				told = true
				field := entry("items", i)() + ".servicePeriod"
				d.warn(finding.PeriodNotRepresentable, field, "%s is not written, here and on further lines: myDATA has no place for a period of service", field)
			}
			inv.Items[i].ServicePeriod = nil
		}
	},
}
