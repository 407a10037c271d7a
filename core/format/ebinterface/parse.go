package ebinterface

import (
	"context"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// Format reads and writes ebInterface documents. It is immutable and safe for concurrent use.
type Format struct {
	mapping *m.Mapping[invoice.Invoice]
	older   *m.Mapping[invoice.Invoice] // of 4.3
}

// New compiles the table.
func New() (*Format, error) {
	compiled, err := m.Compile(&Table)
	if err != nil {
		return nil, err
	}
	older, err := m.Compile(olderTable())
	if err != nil {
		return nil, err
	}
	return &Format{mapping: compiled, older: older}, nil
}

// Read reads a document. What the invoice has no member for is in its countrySpecific.national.
func (f *Format) Read(ctx context.Context, doc *xmltree.Document) (*m.Reading[invoice.Invoice], error) {
	said, err := f.of(doc).Read(ctx, doc)
	if err != nil {
		return nil, err
	}
	inv := said.Invoice
	if isOlder(doc) {
		restoreRates(inv, doc)
	}
	said.Account.WithoutSignature(doc)
	told := national(said.Edition, doc, &said.Account)
	inv.Seller, inv.Buyer = withVATID(inv.Seller), withVATID(inv.Buyer)
	tellCharges(inv, doc)
	tellPayment(inv, doc)
	told = keepTaxes(inv, doc, told)
	if len(told) > 0 {
		countrySpecific(inv).National = told
	}
	if doc.ChildNamed(doc.Root(), "CancelledOriginalDocument") != xmltree.None {
		yes := true
		countrySpecific(inv).CancelsReferencedInvoice = &yes
	}
	return said, nil
}

// of gives the mapping of a document.
func (f *Format) of(doc *xmltree.Document) *m.Mapping[invoice.Invoice] {
	if isOlder(doc) {
		return f.older
	}
	return f.mapping
}

func isOlder(doc *xmltree.Document) bool { return doc.Namespace(doc.Root()) == namespace43 }

// withVATID takes the numbers for none off a party: what is left without anything is none.
func withVATID(p *invoice.Party) *invoice.Party {
	if p != nil && (p.VATID == withoutVATID || p.VATID == "ATU"+withoutVATID) {
		if p.VATID = ""; reflect.ValueOf(*p).IsZero() {
			return nil
		}
	}
	return p
}

// NewLocator gives a Locator for a document and the invoice that it was written from, nil for the one that it is read as.
func (f *Format) NewLocator(doc *xmltree.Document, inv *invoice.Invoice) *m.Locator {
	if inv == nil {
		return f.of(doc).NewLocator(doc)
	}
	return f.mapping.NewLocatorOf(doc, inv)
}

// Uses lists where ebInterface has a business term or group.
func (f *Format) Uses(term string) []m.Use { return f.mapping.Uses(term) }

func countrySpecific(inv *invoice.Invoice) *invoice.CountrySpecific {
	if inv.CountrySpecific == nil {
		inv.CountrySpecific = &invoice.CountrySpecific{}
	}
	return inv.CountrySpecific
}

// nationals are the elements of ebInterface that the invoice may have no member for, those of 6.0 and 5.0 included.
var nationals = func() m.Nationals {
	order := maps.Clone(Table.Order)
	order["Address"] += " AddressExtension" // up to 5.0
	order["OtherTax"] += " Amount"          // up to 5.0
	return m.Nationals{Order: order, Demands: map[string]string{"Contact": "Name"}, Attributes: []string{
		"DocumentTitle", "Language", "IsDuplicate", "ManualProcessing", "Key", "AddressIdentifierType", "ArticleNumberType", "BankCodeType", "BaseQuantity",
		"CheckSum", "ClassificationSchema", "ConsolidatorPayable", "CountryCode", "Currency", "Date", "IdentificationType", "TaxCategoryCode", "Unit",
	}}
}()

// itemLists is the path under which the numbers of lines stand where a document has several lists of them.
const itemLists = "Details/ItemList"

// national takes what the invoice has no member for off the account.
func national(edition string, doc *xmltree.Document, account *m.Account) invoice.National {
	elements := nationals
	if isOlder(doc) {
		elements = olderNationals
	}
	told := elements.Take(doc, account)
	add := func(path string, texts ...string) {
		if told == nil {
			told = invoice.National{}
		}
		told[path] = texts
	}
	for i, leaf := range account.Leaves {
		if path := doc.Local(leaf.Node); computed[path] && doc.Parent(leaf.Node) == doc.Root() && leaf.Value != "" {
			add(path, leaf.Value)
			account.Leaves = append(account.Leaves[:i:i], account.Leaves[i+1:]...)
			account.Mapped, account.Reported = account.Mapped+1, account.Reported-1
			break
		}
	}
	if counts := linesOf(doc); len(counts) > 1 {
		add(itemLists, counts...)
	}
	if edition == V50 || isOlder(doc) {
		told = renewed(told)
	}
	return told
}

// computed are the elements whose amounts the invoice computes: another one that a document has is kept.
var computed = map[string]bool{"PayableAmount": true}

// linesOf are the numbers of lines of the lists of a document.
func linesOf(doc *xmltree.Document) []string {
	details := doc.ChildNamed(doc.Root(), "Details")
	if details == xmltree.None {
		return nil
	}
	var counts []string
	for list := range elementsOf(doc, details, "ItemList") {
		count := 0
		for range elementsOf(doc, list, "ListLineItem") {
			count++
		}
		counts = append(counts, strconv.Itoa(count))
	}
	return counts
}

// renewed gives what 5.0 and 4.3 name otherwise the names of 6.1: Language has two letters, AddressExtension is AdditionalInformation, and the
// Amount of an OtherTax is its TaxAmount.
func renewed(told invoice.National) invoice.National {
	if told == nil {
		return nil
	}
	now := invoice.National{}
	for path, texts := range told {
		path = renewedPath(strings.Replace(path, "/AddressExtension", "/AdditionalInformation", 1))
		if strings.HasPrefix(path, "Tax/OtherTax") {
			path = strings.Replace(path, "/Amount", "/TaxAmount", 1)
		}
		if path == "@Language" {
			texts = []string{languageOf(texts[0])}
		}
		now[path] = texts
	}
	return now
}

// languageOf is the code of ISO 639-1 for one of ISO 639-2; what is none of the usual languages stays as it is.
func languageOf(code string) string {
	switch code {
	case "ger", "deu":
		return "de"
	case "eng":
		return "en"
	case "fre", "fra":
		return "fr"
	case "ita":
		return "it"
	}
	return code
}

// tellCharges says of each allowance and charge on the document which it is: its element tells.
func tellCharges(inv *invoice.Invoice, doc *xmltree.Document) {
	details := doc.ChildNamed(doc.Root(), "ReductionAndSurchargeDetails")
	if details == xmltree.None {
		return
	}
	at := 0
	for el := range elementsOf(doc, details, "") {
		name := doc.Local(el)
		if at < len(inv.AllowancesCharges) && (name == "Reduction" || name == "Surcharge") {
			charge := name == "Surcharge"
			inv.AllowancesCharges[at].IsCharge = &charge
			at++
		}
	}
}

// tellPayment says which way to pay the document has: its element tells.
func tellPayment(inv *invoice.Invoice, doc *xmltree.Document) {
	method := doc.ChildNamed(doc.Root(), "PaymentMethod")
	if method == xmltree.None {
		return
	}
	for el := range elementsOf(doc, method, "") {
		code := paymentCodes[doc.Local(el)]
		if code == "" {
			continue
		}
		if len(inv.PaymentMethods) == 0 {
			inv.PaymentMethods = []invoice.PaymentMethod{{}}
		}
		inv.PaymentMethods[0].Code = code
	}
}

// paymentCodes are the codes of UNTDID 4461 for the ways to pay.
var paymentCodes = map[string]string{"UniversalBankTransaction": "30", "SEPADirectDebit": "49", "DirectDebit": "49", "PaymentCard": "48", "OtherPayment": "1"}

// keepTaxes makes national what the invoice would take for something else: comments on taxed amounts for reasons of an exemption, and
// taxes in euros of an invoice in euros for those in another currency.
func keepTaxes(inv *invoice.Invoice, doc *xmltree.Document, told invoice.National) invoice.National {
	keep := func(category string, text *string, path func() string) {
		if *text == "" || category != "S" && category != "AA" {
			return
		}
		if told == nil {
			told = invoice.National{}
		}
		told[path()] = []string{*text}
		*text = ""
	}
	for i := range inv.TaxSummary {
		g := &inv.TaxSummary[i]
		if path := "Tax/" + positioned("TaxItem", i, len(inv.TaxSummary)) + "/AccountingCurrencyAmount"; inv.Currency == "EUR" && g.TaxCurrencyTaxAmount.IsSet() {
			if told == nil {
				told = invoice.National{}
			}
			told[path], told[path+"/@Currency"] = []string{g.TaxCurrencyTaxAmount.String()}, []string{"EUR"}
			g.TaxCurrencyTaxAmount = decimal.Decimal{}
		}
		keep(g.TaxCategoryCode, &g.ExemptionReason, func() string { return "Tax/" + positioned("TaxItem", i, len(inv.TaxSummary)) + "/Comment" })
	}
	var lines []string
	for i := range inv.Items {
		it := &inv.Items[i]
		keep(it.TaxCategoryCode, &it.TaxExemptionReason, func() string {
			if lines == nil {
				lines = linePaths(doc)
			}
			if i >= len(lines) { // a document with more than the schema allows
				return "Details/ItemList/" + positioned("ListLineItem", i, len(inv.Items)) + "/TaxItem/Comment"
			}
			return lines[i] + "/TaxItem/Comment"
		})
	}
	return told
}

// linePaths are the paths of the lines of a document.
func linePaths(doc *xmltree.Document) []string {
	var paths []string
	counts := linesOf(doc)
	for i, text := range counts {
		count, _ := strconv.Atoi(text)
		for j := range count {
			paths = append(paths, "Details/"+positioned("ItemList", i, len(counts))+"/"+positioned("ListLineItem", j, count))
		}
	}
	return paths
}

// positioned is the step of an element that is one of several of its name.
func positioned(name string, i, count int) string {
	if count == 1 {
		return name
	}
	return name + "[" + strconv.Itoa(i+1) + "]"
}
