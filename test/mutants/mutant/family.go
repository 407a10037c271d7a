package mutant

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// family is a way to change a document.
type family struct {
	name   string
	weight int
	edits  func(*draw) []edit
}

// families are those of the corpus.
var families = []family{
	{"txt", 20, func(w *draw) []edit { return w.some(1, (*draw).text) }},
	{"rm", 14, func(w *draw) []edit { return w.some(1, (*draw).removal) }},
	{"dup", 10, func(w *draw) []edit { return w.some(1, (*draw).double) }},
	{"attr", 8, func(w *draw) []edit { return w.some(1, (*draw).attribute) }},
	{"ins", 10, func(w *draw) []edit { return w.some(1, (*draw).insertion) }},
	{"multi", 24, (*draw).multi},
	{"multi-edit", 8, (*draw).together},
	{"pair", 10, func(w *draw) []edit { return w.some(2, (*draw).any) }},
}

// draw makes the edits of one mutant.
type draw struct {
	*rand.Rand
	document *Document
	learned  *learned
}

// some makes up to n edits of a kind.
func (w *draw) some(n int, one func(*draw) []edit) []edit {
	var all []edit
	for range n {
		all = append(all, one(w)...)
	}
	return all
}

// any makes an edit of any kind.
func (w *draw) any() []edit {
	kinds := []func(*draw) []edit{(*draw).text, (*draw).text, (*draw).removal, (*draw).double, (*draw).attribute, (*draw).insertion}
	return kinds[w.IntN(len(kinds))](w)
}

// multi makes about ten insertions, or up to five edits of any kind.
func (w *draw) multi() []edit {
	if w.IntN(2) == 0 {
		return w.some(8+w.IntN(5), (*draw).insertion)
	}
	return w.some(3+w.IntN(3), (*draw).any)
}

// choose picks an element, those that rules look at more often; nil when none fits.
func (w *draw) choose(fits func(*element) bool) *element {
	total := 0
	for _, e := range w.document.elements {
		if fits(e) {
			total += weigh(e)
		}
	}
	if total == 0 {
		return nil
	}
	at := w.IntN(total)
	for _, e := range w.document.elements {
		if !fits(e) {
			continue
		}
		if at -= weigh(e); at < 0 {
			return e
		}
	}
	return nil
}

// heavy are elements that most rule sets require, count or tell apart.
var heavy = map[string]int{
	"TaxTotal": 12, "TaxSubtotal": 8, "TaxCategory": 8, "ClassifiedTaxCategory": 8, "TaxScheme": 6, "LegalMonetaryTotal": 12, "Country": 8,
	"PostalAddress": 8, "PartyLegalEntity": 8, "PartyTaxScheme": 8, "InvoiceLine": 6, "CreditNoteLine": 6, "Item": 6, "Price": 8, "Party": 8,
	"AccountingSupplierParty": 6, "AccountingCustomerParty": 6, "AllowanceCharge": 6, "PayeeFinancialAccount": 6, "PaymentMeans": 6,
	"ApplicableTradeTax": 10, "CategoryTradeTax": 8, "PostalTradeAddress": 8, "SpecifiedTaxRegistration": 8, "SpecifiedTradeProduct": 6,
	"IncludedSupplyChainTradeLineItem": 6, "SpecifiedTradeAllowanceCharge": 6, "SpecifiedTradeSettlementPaymentMeans": 6,
	"SpecifiedTradeSettlementHeaderMonetarySummation": 12, "NetPriceProductTradePrice": 8, "SellerTradeParty": 6, "BuyerTradeParty": 6,
	"GuidelineSpecifiedDocumentContextParameter": 8, "RegistrationName": 8, "IssueDateTime": 6, "SpecifiedLegalOrganization": 4,
}

// weigh is the weight of an element: its own, else that of its kind.
func weigh(e *element) int {
	switch weight := heavy[e.name]; {
	case e.comments:
		return 1
	case weight > 0:
		return weight
	case !e.leaf():
		return 2
	case e.name == "ID" && e.parent != nil && heavy[e.parent.name] > 0: // category, scheme, registration
		return heavy[e.parent.name]
	}
	return kindOf(e.name).weight
}

func leaf(e *element) bool  { return e.parent != nil && e.leaf() && !e.comments }
func child(e *element) bool { return e.parent != nil }

// text changes the value of a leaf.
func (w *draw) text() []edit {
	e := w.choose(leaf)
	if e == nil {
		return nil
	}
	return []edit{w.document.set(e, w.value(e))}
}

func (w *draw) value(e *element) string {
	return kindOf(e.name).value(w.Rand, w.document.value(e), w.learned.values[e.parent.name+" "+e.name])
}

func (w *draw) removal() []edit {
	if e := w.choose(child); e != nil {
		return []edit{w.document.remove(e)}
	}
	return nil
}

func (w *draw) double() []edit {
	if e := w.choose(child); e != nil {
		return []edit{w.document.double(e)}
	}
	return nil
}

// attributes that rules look at, with values for them.
var attributeValues = map[string][]string{
	"currencyID": {"", "XXX", "USD", "eur", "EUR "},
	"schemeID":   {"", "9999", "0088", "0002", "VA", "FC", "EM", "SEPA", "UNDEFINED"},
	"unitCode":   {"", "XX", "C62", "c62", "ZZZ"},
	"listID":     {"", "XX", "STI", "UNCL1001"},
	"format":     {"", "102", "101", "203"},
	"name":       {"", "x"},
	"mimeCode":   {"", "text/plain", "application/pdf"},
}

// addedAttributes are those that rules forbid or expect, by the kind of name that they come with.
var addedAttributes = []struct{ suffix, name string }{
	{"Amount", "currencyID"}, {"ID", "schemeID"}, {"Code", "listID"}, {"Quantity", "unitCode"}, {"DateTimeString", "format"},
	{"ID", "schemeName"}, {"ID", "schemeAgencyID"}, {"Code", "listVersionID"}, {"Code", "name"}, {"Note", "languageID"},
	{"Name", "languageID"}, {"Quantity", "unitCodeListID"}, {"Amount", "currencyCodeListVersionID"},
}

// attribute changes, removes or adds an attribute.
func (w *draw) attribute() []edit {
	if w.IntN(6) == 0 {
		return w.addition()
	}
	known := func(a attribute) bool { return len(attributeValues[a.name]) > 0 }
	e := w.choose(func(e *element) bool { return slices.ContainsFunc(e.attributes, known) })
	if e == nil {
		return w.addition()
	}
	a := e.attributes[w.IntN(len(e.attributes))]
	if w.IntN(3) == 0 {
		return []edit{w.document.removeAttribute(e, a)}
	}
	old := w.document.attribute(a)
	values := attributeValues[a.name]
	for range 8 {
		if len(values) == 0 {
			break
		}
		if value := values[w.IntN(len(values))]; value != old {
			return []edit{w.document.setAttribute(e, a, value)}
		}
	}
	return []edit{w.document.setAttribute(e, a, old+"x")}
}

func (w *draw) addition() []edit {
	added := addedAttributes[w.IntN(len(addedAttributes))]
	e := w.choose(func(e *element) bool { return leaf(e) && strings.HasSuffix(e.name, added.suffix) && !e.has(added.name) })
	if e == nil {
		return nil
	}
	values := append([]string{"x"}, attributeValues[added.name]...)
	return []edit{w.document.addAttribute(e, added.name, values[w.IntN(len(values))])}
}

func (e *element) has(attribute string) bool {
	for _, a := range e.attributes {
		if a.name == attribute {
			return true
		}
	}
	return false
}

// insertion puts in an element that a rule names, or one that such a parent has elsewhere.
func (w *draw) insertion() []edit {
	if w.IntN(3) > 0 {
		if edits := w.named(); edits != nil {
			return edits
		}
	}
	parent := w.choose(func(e *element) bool { return len(w.learned.children[e.name]) > 0 && !e.leaf() })
	if parent == nil {
		return w.named()
	}
	grafts := w.learned.children[parent.name]
	for range 8 {
		g := &grafts[w.IntN(len(grafts))]
		if w.document.takes(g) && (after(parent, []string{g.name}) == nil || w.IntN(4) == 0) {
			return []edit{w.document.insert(parent, after(parent, append([]string{g.name}, g.before...)), g.source, g.name)}
		}
	}
	return nil
}

// named puts in an element of the table.
func (w *draw) named() []edit {
	for range 16 {
		n := namedElements[w.IntN(len(namedElements))]
		prefix, local, _ := strings.Cut(n.name, ":")
		if _, bound := w.document.prefixes[prefix]; !bound {
			continue
		}
		parent := w.choose(func(e *element) bool { return e.name == n.parent })
		if parent == nil {
			continue
		}
		content := fmt.Sprintf("<%s>%s</%s>", n.name, n.content, n.name)
		if _, ok := w.document.bindings(content); ok {
			return []edit{w.document.insert(parent, after(parent, strings.Fields(n.after)), content, local)}
		}
	}
	return nil
}

// together makes edits that belong together: the same one to all elements of a name below parents of a name, or all
// attributes of a name.
func (w *draw) together() []edit {
	e := w.choose(child)
	if e == nil {
		return nil
	}
	if len(e.attributes) > 0 && w.IntN(3) == 0 {
		return w.allAttributes(e.attributes[w.IntN(len(e.attributes))].name)
	}
	change := w.document.remove
	if leaf(e) && w.IntN(2) == 0 {
		value := w.value(e)
		change = func(e *element) edit { return w.document.set(e, value) }
	}
	var all []edit
	for _, other := range w.document.elements {
		if other.parent != nil && other.name == e.name && other.parent.name == e.parent.name && leaf(other) == leaf(e) {
			all = append(all, change(other))
		}
	}
	return all
}

func (w *draw) allAttributes(name string) []edit {
	values := append([]string{"x"}, attributeValues[name]...)
	value, remove := values[w.IntN(len(values))], w.IntN(4) == 0
	var all []edit
	for _, e := range w.document.elements {
		for _, a := range e.attributes {
			switch {
			case a.name == name && remove:
				all = append(all, w.document.removeAttribute(e, a))
			case a.name == name:
				all = append(all, w.document.setAttribute(e, a, value))
			}
		}
	}
	return all
}
