//go:build corpus

package operation

import (
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/catalogue"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// plainService writes the ubl of Sweden as EN 16931 has it, without a customisation, so that no type of document is refused.
func plainService(t *testing.T) *Service {
	t.Helper()
	list := catalogue.List()
	plain := profile.New(profile.Profile{Token: "ubl", Country: "SE", Specification: format.CoreSpecification, Steps: profile.CommonSteps()})
	row := format.Customisation{Token: "ubl", Syntax: "ubl", Country: "SE", Detection: "UBL", Specification: format.CoreSpecification, Steps: plain}
	list.Customisations = slices.Insert(list.Customisations, 0, row)
	return must(New(Config{Formats: must(format.New(list))(t)}))(t)
}

// unchecked are the options of a conversion whose result is not judged: into the ubl of plainService, and into the profile EN 16931 of
// ZUGFeRD for CII.
func unchecked(syntax string) invoice.ConvertBody {
	no := false
	if syntax == "ubl" {
		return invoice.ConvertBody{TargetFormat: "ubl", TargetCountry: "SE", Validate: &no}
	}
	return invoice.ConvertBody{TargetFormat: "zugferd", TargetCountry: "DE", FormatOptions: &invoice.FormatOptions{Output: outputXML}, Validate: &no}
}

// other is the other syntax.
var other = map[string]string{"UBL": "cii", "CII": "ubl"}

// core tells whether a document keeps EN 16931: the rules of it have no fatal finding where they judge the set, else none of the set's.
func keepsEN16931(d *corpus.Document) bool {
	for set := range maps.Keys(d.Rules) {
		if strings.HasPrefix(set, "en16931") {
			return !d.Fatal("en16931")
		}
	}
	return !d.Fatal("") && !strings.HasPrefix(d.Set, "pint")
}

// beyond are the reasons for which a term of a document that keeps EN 16931 is lost all the same.
var beyond = map[string]string{
	"room for one value only":    "the document has more than the standard's cardinality allows, about which rules warn at most",
	"identifiers[1] and what":    "EN 16931-1: there is one identifier of the buyer (BT-46) and of the payee (BT-60)",
	"without its time zone":      "EN 16931-1 §6.5.10: dates have no time zone",
	"the invoice computes":       "the document states a total that differs from its parts by less than rules tolerate, or extensions count payments of third parties",
	"taxExemptionReason, is not": "CIUS-PT has a text of why for each exempt line, in an attribute of the item; EN 16931 has one for each tax group (BT-120)",
	"no such text in this place": "the document has a day that no calendar has, which no rule of CII finds",
}

// restated are the members that come back in another way, with the reason.
var restated = map[string]string{
	"profile":                                "it is the specification identifier (BT-24), which is that of the target",
	"countrySpecific.countryCode":            "it names the country whose members follow",
	"type":                                   "the document element of UBL is no term: BT-3 is kept as a code that EN 16931 does not have",
	"paymentTerms.earlyPaymentDiscount.days": "it stands in the terms of payment (BT-20), in the form of BR-DE-18",
	"paymentTerms.earlyPaymentDiscount.discountPercent": "the same",
}

// inOneElement are documents with a note whose code is none of UNTDID 4451, or whose text begins as if it had one: UBL has one element
// for both (CEN/TS 16931-3-2, BT-21).
var inOneElement = []string{"fx-basic/m-pair-164.xml", "fx-basic/m-pair-219.xml", "fx-extended/m-txt-323.xml"}

// termAhead is a business term of EN 16931 at the beginning of a message; memberIn finds the members that messages name.
var (
	termAhead = regexp.MustCompile(`^(BT|BG)-[0-9]+`)
	memberIn  = regexp.MustCompile(`(?:^|, |: )([a-z][A-Za-z]+[][0-9A-Za-z.]*),? `)
)

// TestConvertingThereAndBackKeepsEveryTerm converts every schema-valid document into the other syntax and back: what the first invoice
// holds the last one holds as well, or one of the conversions has said that it does not. In documents that keep EN 16931 that is no term
// of it.
func TestConvertingThereAndBackKeepsEveryTerm(t *testing.T) {
	s := plainService(t)
	compared, flipped, refused, unsummed := 0, 0, 0, 0
	for _, d := range slices.Concat(corpus.UBL(t), corpus.CII(t)) {
		if !d.Valid {
			continue
		}
		source := must(os.ReadFile(d.Path))(t)
		there, err := s.Convert(t.Context(), ConvertRequest{Document: source, Options: unchecked(other[d.Syntax])})
		if speaksOf(err, "BR-CO-15") {
			unsummed++
			continue
		} else if _, ok := errors.AsType[*finding.Refusal](err); ok {
			refused++ // the document element of UBL contradicts the type (BT-3)
			continue
		} else if err != nil {
			t.Fatal(d.Path, err)
		}
		back, err := s.Convert(t.Context(), ConvertRequest{Document: there.Data, Options: unchecked(strings.ToLower(d.Syntax))})
		if speaksOf(err, "BR-CO-15") {
			unsummed++
			continue
		} else if err != nil {
			t.Errorf("%s/%s: on the way back: %v", d.Set, d.Name, err)
			continue
		}
		if slices.ContainsFunc(slices.Concat(there.Warnings, back.Warnings), turnsSigns) {
			flipped++
			continue
		}
		compared++
		losses := slices.Concat(there.ConversionWarnings, back.ConversionWarnings)
		if keepsEN16931(&d) {
			checkNoTermIsLost(t, &d, losses)
		}
		checkNothingIsSilent(t, s, &d, source, back.Data, losses)
	}
	t.Logf("%d documents compared, %d left out because their signs are turned, %d refused, %d whose total is not that of its parts", compared, flipped, refused, unsummed)
	if compared+flipped+refused+unsummed != schemaValid+ciiValid || refused > 5 || unsummed > mostUnsummed {
		t.Errorf("%d documents", compared+flipped+refused+unsummed)
	}
}

// mostUnsummed is how many documents of the corpus break BR-CO-15 at most, which is asked of every invoice that goes into ZUGFeRD.
const mostUnsummed = 32

// speaksOf tells whether an error is a refusal by one rule and no other.
func speaksOf(err error, rule string) bool {
	r, ok := errors.AsType[*finding.Refusal](err)
	return ok && len(r.Errors) == 1 && r.Errors[0].Code == rule
}

func turnsSigns(w finding.Finding) bool {
	return w.Code == finding.LineSignMoved || w.Code == finding.CreditNoteSignFlipped
}

func checkNoTermIsLost(t *testing.T, d *corpus.Document, losses []finding.Finding) {
	t.Helper()
	for _, w := range losses {
		known := func(reason string) bool { return strings.Contains(w.Message, reason) }
		if termAhead.MatchString(w.Message) && !slices.ContainsFunc(slices.Collect(maps.Keys(beyond)), known) {
			t.Errorf("%s/%s: %s", d.Set, d.Name, w.Message)
		}
	}
}

func checkNothingIsSilent(t *testing.T, s *Service, d *corpus.Document, source, result []byte, losses []finding.Finding) {
	t.Helper()
	said := map[string]bool{}
	for _, w := range losses {
		for _, m := range memberIn.FindAllStringSubmatch(w.Message, -1) {
			said[pattern(m[1])] = true
		}
	}
	read := func(document []byte) *invoice.Invoice {
		return must(s.Parse(t.Context(), ParseRequest{Country: "de", Format: "ubl", Document: document}))(t).Invoice
	}
	first, second := read(source), read(result)
	restate(first, second)
	for _, lost := range missing(first, second) {
		path, _, _ := strings.Cut(lost, " ")
		note := strings.HasPrefix(path, "noteEntries") && slices.Contains(inOneElement, d.Set+"/"+d.Name)
		if restated[path] == "" && elsewhere[path] == "" && !note && !told(said, path) {
			t.Errorf("%s/%s loses %s in silence", d.Set, d.Name, lost)
		}
	}
}

// restate gives the invoice of a source the members that the one of the result has for the same terms, where their values are the same: the
// short form of the first preceding invoice (BG-3) that only an identifier of a registry kept long; amounts with tax of lines, which EN 16931
// does not have, and taxes of lines, where they are computed; and amounts of prepayments that PINT OM does not have, whose sum is BT-113.
func restate(first, second *invoice.Invoice) {
	if refs := first.ReferencedInvoices; len(refs) > 0 && first.ReferencedInvoiceNumber == "" && second.ReferencedInvoiceNumber == refs[0].Number && second.ReferencedInvoiceDate == refs[0].Date {
		first.ReferencedInvoiceNumber, first.ReferencedInvoiceDate = refs[0].Number, refs[0].Date
		refs[0].Number, refs[0].Date = "", ""
	}
	for _, inv := range []*invoice.Invoice{first, second} {
		withoutRepeatedGross(inv)
		withoutRepeatedTax(inv)
	}
	var sum decimal.Decimal
	for i := range first.Prepayments {
		sum = sum.Add(first.Prepayments[i].Amount)
	}
	if second.PrepaidAmount.IsSet() && len(second.Prepayments) == 0 && second.PrepaidAmount.Cmp(sum) == 0 {
		for i := range first.Prepayments {
			first.Prepayments[i].Amount = decimal.Decimal{}
		}
	}
}

// withoutRepeatedTax has lines state the tax that net amount and rate give, where they state another one to within one of the smallest units.
func withoutRepeatedTax(inv *invoice.Invoice) {
	unit := decimal.New(1, invoice.AmountDecimals(inv.Currency))
	for _, it := range inv.Lines() {
		if tax := invoice.TaxOf(it.NetAmount, it.TaxRate); it.TaxAmount.Sub(tax).Abs().Cmp(unit) <= 0 {
			it.TaxAmount = tax
		}
	}
}

// TestConvertedDocumentsAreCleanOrRefused converts every schema-valid document into formats whose rules ship: what is given out is valid
// for who validates it, and what is refused is by what the target cannot express or by a rule.
func TestConvertedDocumentsAreCleanOrRefused(t *testing.T) {
	s := shippedService(t, "2026-09-01")
	given, refused := 0, 0
	for i, d := range slices.Concat(corpus.UBL(t), corpus.CII(t)) {
		if !d.Valid {
			continue
		}
		options := unchecked("cii")
		if i%2 == 0 {
			options = invoice.ConvertBody{TargetFormat: "xrechnung"}
		}
		options.Validate = nil
		answer, err := s.Convert(t.Context(), ConvertRequest{Document: must(os.ReadFile(d.Path))(t), Options: options})
		if r, ok := errors.AsType[*finding.Refusal](err); ok && r.Code == finding.ConversionFailed && len(r.Errors) > 0 {
			refused++
			continue
		} else if err != nil {
			t.Errorf("%s/%s: %v", d.Set, d.Name, err)
			continue
		}
		given++
		verdict := must(s.Validate(t.Context(), ValidateRequest{Country: "de", Format: answer.TargetFormat, Document: answer.Data}))(t)
		if !verdict.Valid && !slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == finding.SelfCheckIncomplete }) {
			t.Errorf("%s/%s: given out, but %v", d.Set, d.Name, verdict.Errors[0])
		}
	}
	t.Logf("%d given out, %d refused", given, refused)
	if given < 500 {
		t.Errorf("only %d documents are given out", given)
	}
}
