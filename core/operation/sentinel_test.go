package operation

import (
	"context"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
)

// special are the leaves for which the usual sentinel will not do: another value, the text it becomes, and the members that
// must be out of its way because they win over it.
var special = map[string]struct {
	value   any
	text    string
	without []string
}{
	"type":                               {value: "correction", text: "384"},
	"profile":                            {value: "xrechnung-extension", text: "urn:xeinkauf.de:kosit:extension:xrechnung_3.0"},
	"deliveryDate":                       {without: []string{"delivery.date"}},
	"customerNumber":                     {without: []string{"buyer.identifiers"}},
	"referencedInvoiceDate":              {without: []string{"referencedInvoices"}},
	"seller.phone":                       {without: []string{"seller.contact.phone"}},
	"seller.email":                       {without: []string{"seller.contact.email"}},
	"seller.contact.department":          {without: []string{"seller.contact.name"}},
	"seller.bankAccount.iban":            {without: []string{"payee.bankAccount", "paymentMethods[].account", "paymentMethods[].code", "countrySpecific.paymentMeansCode"}},
	"seller.bankAccount.bic":             {without: []string{"payee.bankAccount", "paymentMethods[].account", "paymentMethods[].code", "countrySpecific.paymentMeansCode"}},
	"seller.bankAccount.accountHolder":   {without: []string{"payee.bankAccount", "paymentMethods[].account", "paymentMethods[].code", "countrySpecific.paymentMeansCode"}},
	"payee.bankAccount.iban":             {without: []string{"paymentMethods[].account", "paymentMethods[].code", "countrySpecific.paymentMeansCode"}},
	"payee.bankAccount.bic":              {without: []string{"paymentMethods[].account", "paymentMethods[].code", "countrySpecific.paymentMeansCode"}},
	"payee.bankAccount.accountHolder":    {without: []string{"paymentMethods[].account", "paymentMethods[].code", "countrySpecific.paymentMeansCode"}},
	"buyer.phone":                        {without: []string{"buyer.contact.phone"}},
	"buyer.email":                        {without: []string{"buyer.contact.email"}},
	"buyer.contact.department":           {without: []string{"buyer.contact.name"}},
	"buyer.bankAccount.iban":             {without: []string{"directDebitMandate.debitAccountId"}},
	"paymentTerms.dueDays":               {without: []string{"dueDate", "paymentTerms.description"}},
	"cashDiscountPercent":                {without: []string{"paymentTerms.earlyPaymentDiscount"}},
	"cashDiscountDays":                   {without: []string{"paymentTerms.earlyPaymentDiscount"}},
	"cashDiscountBaseAmount":             {without: []string{"paymentTerms.earlyPaymentDiscount"}},
	"paymentMethods[].type":              {value: "cash", text: "10", without: []string{"paymentMethods[].code", "countrySpecific.paymentMeansCode"}},
	"paymentMethods[].account.iban":      {without: []string{"paymentMethods[].account.id"}},
	"prepayments[].amount":               {without: []string{"prepaidAmount"}},
	"countrySpecific.paymentMeansCode":   {without: []string{"paymentMethods[].code"}},
	"countrySpecific.buyerReference":     {without: []string{"buyerReference"}},
	"countrySpecific.leitwegId":          {without: []string{"buyerReference", "countrySpecific.buyerReference"}},
	"countrySpecific.exchangeRate":       {without: []string{"taxSummary[].taxCurrencyTaxAmount"}},
	"countrySpecific.isKleinunternehmer": {value: true, text: "§ 19 UStG", without: []string{"taxSummary[].exemptionReason", "taxSummary[].exemptionReasonCode", "items[].taxExemptionReason", "items[].taxExemptionReasonCode"}},
	"items[].position":                   {without: []string{"items[].lineId"}},
	"items[].gtin":                       {without: []string{"items[].standardItemId"}},
	"items[].discount.type":              {value: "percentage", text: "1.00"},
	"items[].taxExemptionReason":         {without: []string{"taxSummary[].exemptionReason"}},
	"items[].taxExemptionReasonCode":     {without: []string{"taxSummary[].exemptionReasonCode"}},
}

// silent are the leaves that neither appear nor are warned of, with the reason.
var silent = map[string]string{
	"countrySpecific.invoiceTypeCode": "TestExplicitTypeCodeIsWritten has it",
	"serviceCategory":                 "it decides about a note and says nothing itself",
	"countrySpecific.countryCode":     "it names the country whose members follow",
}

// TestEachLeafAppearsAtItsBindingOrIsWarnedOf sets each leaf of the full invoice to a value of its own and looks for that in
// the document, at an element that leads back to the leaf, or else in a FIELD_NOT_WRITTEN warning.
func TestEachLeafAppearsAtItsBindingOrIsWarnedOf(t *testing.T) {
	s := newService(t)
	p := xrechnung(t, s)
	listed := onlyWarned(t)
	var warned []string
	for i, leaf := range invoice.LeafPaths() {
		if silent[leaf] != "" || leftOut(i) {
			continue
		}
		inv, text := withSentinel(t, leaf)
		found, warnings := generateSentinel(t, s, p, inv, text)
		switch {
		case slices.ContainsFunc(found, func(field string) bool { return leadsTo(p, leaf, field) }):
		case warns(warnings, leaf):
			warned = append(warned, leaf)
		default:
			t.Errorf("%s = %q neither appears at its binding (found at %q) nor is warned of", leaf, text, found)
		}
	}
	for _, leaf := range warned {
		if listed[ofLine(leaf)] == "" {
			t.Errorf("%s only warns, and testdata/not-written.txt does not say why", leaf)
		}
	}
	for _, leaf := range warned {
		delete(listed, ofLine(leaf))
	}
	if testing.Short() {
		return // what is left of the list may be what was left out
	}
	for leaf := range listed {
		t.Errorf("testdata/not-written.txt lists %s, which is written", leaf)
	}
}

// onlyWarned reads the committed list of leaves that XRechnung has no place for, each with the sentence that allows it.
func onlyWarned(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/not-written.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if leaf, sentence, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			list[leaf] = sentence
		}
	}
	return list
}

// TestExplicitTypeCodeIsWritten has an invoice whose type is the one of the code.
func TestExplicitTypeCodeIsWritten(t *testing.T) {
	s := newService(t)
	p := xrechnung(t, s)
	inv, _ := withSentinel(t, "notes")
	inv.Type, inv.CountrySpecific.InvoiceTypeCode = invoice.TypeSelfBilled, "389"
	if found, _ := generateSentinel(t, s, p, inv, "389"); !slices.Contains(found, "countrySpecific.invoiceTypeCode") {
		t.Errorf("389 stands at %q", found)
	}
}

// withSentinel fills an invoice and marks one leaf; it gives the text to look for.
func withSentinel(t *testing.T, leaf string) (*invoice.Invoice, string) {
	t.Helper()
	inv := &invoice.Invoice{}
	fill(reflect.ValueOf(inv).Elem(), 2)
	inv.Type = invoice.TypeInvoice
	inv.CountrySpecific.InvoiceTypeCode = ""
	inv.PaymentMethods[0].Type = invoice.PayCreditTransfer
	for _, it := range inv.Lines() {
		it.Discount.Type, it.TaxCategoryCode = invoice.DiscountAbsolute, "E"
	}
	inv.Profile, inv.TaxCurrencyCode, inv.TaxSummary[0].TaxCategoryCode = "", "y", "E"
	if leaf != ofLine(leaf) || strings.HasPrefix(leaf, "thirdPartyPayments[]") {
		inv.Profile = invoice.ProfileXRechnungExtension
	}
	rule := special[ofLine(leaf)]
	for _, other := range rule.without {
		at(reflect.ValueOf(inv).Elem(), other).SetZero()
		at(reflect.ValueOf(inv).Elem(), strings.Replace(other, "items[].", "items[].subItems[].", 1)).SetZero()
	}
	if leaf != ofLine(leaf) {
		at(reflect.ValueOf(inv).Elem(), ofLine(leaf)).SetZero() // of two lines' reasons for one tax group the first counts
	}
	v := at(reflect.ValueOf(inv).Elem(), leaf)
	switch value := rule.value.(type) {
	case string:
		v.SetString(value)
		return inv, rule.text
	case bool:
		v.Set(reflect.ValueOf(&value))
		return inv, rule.text
	}
	return inv, mark(v)
}

// ofLine is the member of a line that one of a line within a line is.
func ofLine(leaf string) string {
	return strings.Replace(leaf, "items[].subItems[].", "items[].", 1)
}

// mark sets a leaf to a value that nothing else has and gives its text.
func mark(v reflect.Value) string {
	switch p := v.Addr().Interface().(type) {
	case *decimal.Decimal:
		*p = decimal.MustParse("77.77")
		return "77.77"
	case *invoice.Date:
		*p = "2027-07-07"
		return "2027-07-07|07.07.2027"
	case *invoice.Base64:
		*p = "U0VOVElORUw="
		return "U0VOVElORUw="
	case **int:
		n := 77
		*p = &n
		return "77"
	case **bool:
		no := false
		*p = &no
		return "false"
	case *[]string:
		*p = []string{"SENTINEL"}
		return "SENTINEL"
	}
	v.SetString("SENTINEL")
	return "SENTINEL"
}

// fill sets every leaf of a struct to something, with one entry in each list.
func fill(v reflect.Value, depth int) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch p := f.Addr().Interface().(type) {
		case *decimal.Decimal:
			*p = decimal.MustParse("1.00")
		case *invoice.Date:
			*p = "2026-01-01"
		case **int:
			n := 1
			*p = &n
		case **bool:
			yes := true
			*p = &yes
		case *[]string:
			*p = []string{"x"}
		default:
			fillNested(f, depth)
		}
	}
}

func fillNested(f reflect.Value, depth int) {
	switch f.Kind() {
	case reflect.String:
		f.SetString("x")
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
		fill(f.Elem(), depth)
	case reflect.Slice:
		if f.Type() == reflect.TypeFor[[]invoice.Item]() && depth == 0 {
			return
		}
		entry := reflect.New(f.Type().Elem()).Elem()
		fill(entry, depth-1)
		f.Set(reflect.Append(f, entry))
	}
}

// at finds a member by its path; [] stands for the first entry.
func at(v reflect.Value, path string) reflect.Value {
	for step := range strings.SplitSeq(path, ".") {
		name, list := strings.CutSuffix(step, "[]")
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		for i := range v.NumField() {
			if tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); tag == name {
				v = v.Field(i)
				break
			}
		}
		if list && v.Type() != reflect.TypeFor[[]string]() {
			v = v.Index(0)
		}
	}
	return v
}

// xrechnung is the profile of XRechnung among the formats of a service.
func xrechnung(t *testing.T, s *Service) *profile.Profile {
	t.Helper()
	germany, _ := s.formats.Country("DE")
	row := s.formats.Written(germany, "xrechnung", format.Options{})
	if row == nil {
		t.Fatal("XRechnung is not written")
	}
	return row.Steps
}

// generateSentinel writes the invoice and gives the fields that the places with the text lead back to, and the warnings.
func generateSentinel(t *testing.T, s *Service, p *profile.Profile, inv *invoice.Invoice, text string) ([]string, []finding.Finding) {
	t.Helper()
	draft := p.Derive(inv)
	if len(draft.Errors) > 0 {
		t.Fatal(draft.Errors)
	}
	token, _ := s.formats.Token(p.Token)
	w := &written{chosen: chosen{token: token, row: &format.Customisation{}}, syntax: s.formats.Syntax("ubl"), draft: draft}
	unwritten, err := s.write(context.Background(), w)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := xmltree.Parse(w.data, xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	locator := w.syntax.Codec.Locator(doc, nil)
	warnings := append(draft.Warnings, notWritten(missed(unwritten, inv, draft), inv, draft, token)...)
	var found []string
	for n := xmltree.Node(0); int(n) < doc.Len(); n++ {
		kind := doc.Kind(n)
		if (kind == xmltree.KindText || kind == xmltree.KindAttribute) && holds(doc.String(n), text) {
			if kind == xmltree.KindText {
				found = append(found, locator.Locate(doc.Parent(n)).Field)
			} else {
				found = append(found, locator.Locate(n).Field)
			}
		}
	}
	return found, warnings
}

func holds(value, text string) bool {
	return slices.ContainsFunc(strings.Split(text, "|"), func(alternative string) bool { return strings.Contains(value, alternative) })
}

var index = regexp.MustCompile(`\[\d+\]`)

// leadsTo tells whether a member of the canonical invoice is the leaf or where a step moves it.
func leadsTo(p *profile.Profile, leaf, field string) bool {
	field = index.ReplaceAllString(field, "[]")
	targets := []string{ofLine(leaf)}
	for _, step := range p.Steps {
		for _, move := range slices.Concat(step.Moves, step.Copies) {
			if slices.ContainsFunc(targets, func(t string) bool { return t == move.From || strings.HasPrefix(t, move.From+".") }) {
				targets = append(targets, index.ReplaceAllString(move.To, "[]"))
			}
		}
	}
	if leaf != ofLine(leaf) {
		if strings.HasPrefix(field, "items[].") && field == ofLine(field) {
			return false
		}
		field = strings.Replace(field, "items[].subItems[].", "items[].", 1)
	}
	return slices.Contains(targets, field) || leaf == "noteEntries[].subjectCode" && field == "noteEntries[].text"
}

func warns(warnings []finding.Finding, leaf string) bool {
	return slices.ContainsFunc(warnings, func(w finding.Finding) bool {
		field := index.ReplaceAllString(w.Field, "[]")
		return w.Code == finding.FieldNotWritten && (field == leaf || field+"[]" == leaf || strings.HasPrefix(leaf, field+"."))
	})
}
