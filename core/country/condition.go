package country

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// Condition says of which invoices something holds. The zero Condition holds of all.
type Condition struct {
	Kind  string // "" or one of the kinds below
	Value string
}

// The kinds of conditions, with what the value is.
const (
	OfCategory  = "category"  // some VAT breakdown is of a category of UNTDID 5305
	OfExemption = "exemption" // some VAT breakdown has a VATEX code
	OfType      = "type"      // the document type
	OfCurrency  = "currency"  // "foreign": the invoice is not in the currency that the country's tax is stated in
	OfDelivery  = "delivery"  // "other-day": the delivery was on another day than that of issue
	OfField     = "field"     // a member of the invoice is given, and is not false
	OfValue     = "value"     // a member, and behind a space the text that it is
)

var kinds = []string{OfCategory, OfExemption, OfType, OfCurrency, OfDelivery, OfField, OfValue}

// UnmarshalText reads a kind and a value with a space between them.
func (c *Condition) UnmarshalText(text []byte) error {
	kind, value, _ := strings.Cut(string(text), " ")
	if !slices.Contains(kinds, kind) || value == "" || kind == OfCurrency && value != "foreign" || kind == OfDelivery && value != "other-day" {
		return fmt.Errorf("%q is no condition: it is one of %s, a space and a value", text, strings.Join(kinds, ", "))
	}
	c.Kind, c.Value = kind, value
	return nil
}

// Holds tells whether an invoice of the country meets the condition.
func (c Condition) Holds(of *Country, inv *invoice.Invoice) bool {
	switch c.Kind {
	case OfCategory:
		return slices.ContainsFunc(inv.TaxSummary, func(t invoice.TaxSummary) bool { return t.TaxCategoryCode == c.Value })
	case OfExemption:
		return slices.ContainsFunc(inv.TaxSummary, func(t invoice.TaxSummary) bool { return strings.EqualFold(t.ExemptionReasonCode, c.Value) })
	case OfType:
		return string(inv.Type) == c.Value
	case OfCurrency:
		return inv.Currency != of.Currency
	case OfDelivery:
		day := inv.DeliveryDate
		if inv.Delivery != nil {
			day = cmp.Or(inv.Delivery.Date, day)
		}
		return day != "" && day != inv.IssueDate
	case OfField:
		return given(inv, c.Value)
	case OfValue:
		path, text, _ := strings.Cut(c.Value, " ")
		return is(inv, path, func(v any) bool { return v == text })
	}
	return true
}

// Met tells whether an invoice has the field, in every entry of the lists on the way.
func (r *Requirement) Met(inv *invoice.Invoice) bool {
	return given(inv, r.Field) || r.Field == "delivery.date" && inv.DeliveryDate != ""
}

// given tells whether a member is there, at a path of JSON names with [] behind lists, with a value that is not false.
func given(inv *invoice.Invoice, path string) bool {
	return is(inv, path, func(v any) bool { return v != nil && v != false && v != "" })
}

// is tells of the member at a path whether it holds, in every entry of the lists on the way.
func is(inv *invoice.Invoice, path string, holds func(any) bool) bool {
	asked := *inv // without what is long and not asked for
	if !strings.HasPrefix(path, "items") {
		asked.Items = nil
	}
	if !strings.HasPrefix(path, "attachments") {
		asked.Attachments = nil
	}
	data, err := json.Marshal(&asked)
	if err != nil { // what cannot be written has no members
		return false
	}
	var root any
	return json.Unmarshal(data, &root) == nil && within(root, strings.Split(path, "."), holds)
}

func within(at any, path []string, holds func(any) bool) bool {
	if len(path) == 0 {
		return holds(at)
	}
	object, ok := at.(map[string]any)
	if !ok {
		return false
	}
	name, isList := strings.CutSuffix(path[0], "[]")
	if !isList {
		return within(object[name], path[1:], holds)
	}
	list, ok := object[name].([]any)
	return ok && len(list) > 0 && !slices.ContainsFunc(list, func(entry any) bool { return !within(entry, path[1:], holds) })
}

// MentionsOf lists the mentions that an invoice must have, in a language of the country, else in its first that has words for it.
func (c *Country) MentionsOf(inv *invoice.Invoice, language string) []string {
	var said []string
	for _, m := range c.Mentions {
		if m.When.Holds(c, inv) {
			if words := m.Words(c, language); words != "" && !slices.Contains(said, words) {
				said = append(said, words)
			}
		}
	}
	return said
}

// Words is the mention in a language, else in the first language of the country that has words for it.
func (m *Mention) Words(of *Country, language string) string {
	return inLanguage(m.Text, of, language)
}

func inLanguage(words map[string]string, of *Country, language string) string {
	for _, code := range append([]string{language}, of.Languages...) {
		if words[code] != "" {
			return words[code]
		}
	}
	return ""
}

// Printed is what a printed invoice says of a member of countrySpecific.
type Printed struct {
	Place string // as Key.Place
	Value string // of the member, as the invoice has it
	Line  string // with the words for it
}

// PrintedOf lists what a printed invoice says of its members of countrySpecific, in a language of the country, else in its first that has
// words for it. Amounts stand as the invoice has them.
func (c *Country) PrintedOf(inv *invoice.Invoice, language string) []Printed {
	data, err := json.Marshal(inv.CountrySpecific)
	if err != nil { // what cannot be written has no members
		return nil
	}
	values := map[string]json.RawMessage{}
	if json.Unmarshal(data, &values) != nil {
		return nil
	}
	var lines []Printed
	for _, k := range c.Keys {
		value := plain(values[k.Name])
		if words := inLanguage(k.Print, c, language); words != "" && value != "" {
			lines = append(lines, Printed{k.Place, value, strings.Replace(words, "{value}", value, 1)})
		}
	}
	return lines
}

// plain is a text, a number or a list of texts as it is read; empty for what is none.
func plain(value json.RawMessage) string {
	var list []string
	if json.Unmarshal(value, &list) == nil {
		return strings.Join(list, ", ")
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(value, &number) == nil {
		return number.String()
	}
	return ""
}
