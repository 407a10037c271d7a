//go:build growth

package growth

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/catalogue"
	"github.com/einvoiced/einvoiced/core/en16931"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
)

// target is a format that a country writes, the options it is asked for with, and the syntax of its documents; some are judged and not given
// out.
type target struct {
	country, format, syntax string
	options                 *invoice.FormatOptions
	judgedOnly              bool
}

// operations are those that a target has.
func (t target) operations() []string {
	if t.judgedOnly {
		return []string{"validate"}
	}
	return []string{"generate", "validate"}
}

func (t target) String() string {
	if t.options != nil {
		return t.country + "/" + t.format + "/" + t.options.Output + t.options.Syntax
	}
	return t.country + "/" + t.format
}

// ways are the options that lead to customisations: the plain request, and the other syntax.
var ways = []struct {
	asked   format.Options
	options *invoice.FormatOptions
}{
	{format.Options{}, nil},
	{format.Options{Syntax: "cii"}, &invoice.FormatOptions{Syntax: "cii"}},
}

// alone asks for the invoice without the PDF that would carry it: pages are not what is counted.
var alone = &invoice.FormatOptions{Output: "xml"}

// targets lists one country and token for each customisation that a request without a profile leads to, by the catalogue. Every syntax that
// is written has one.
func targets(t *testing.T) (list []target) {
	t.Helper()
	c, err := catalogue.New()
	if err != nil {
		t.Fatal(err)
	}
	known := map[*format.Customisation]bool{}
	for _, country := range c.Countries() {
		for _, token := range country.Tokens {
			for _, way := range ways {
				if row := c.Written(country, token, way.asked); row != nil && !known[row] {
					known[row] = true
					if row.Carrier != "" {
						way.options = alone
					}
					id, _ := c.Token(token)
					list = append(list, target{strings.ToLower(country.Code), token, row.Syntax, way.options, id.JudgedOnly})
				}
			}
		}
	}
	for _, syntax := range []string{"ubl", "cii", "ebinterface", "fatturapa", "ksef", lines, "isdoc", "facturae", "nav", "mydata"} {
		if !slices.ContainsFunc(list, func(to target) bool { return to.syntax == syntax }) {
			t.Fatalf("%s is not written", syntax)
		}
	}
	return list
}

// lists are the paths of the lists of the invoice object.
func lists() []string {
	var all []string
	for _, leaf := range invoice.LeafPaths() {
		for at := range len(leaf) {
			if list := leaf[:at]; strings.HasSuffix(list, "[]") && !slices.Contains(all, list) {
				all = append(all, list)
			}
		}
	}
	return all
}

// lengthened is a list in a format.
type lengthened struct {
	to   target
	list string
}

// everyList gives all lists of the invoice object in all formats that are written.
func everyList(t *testing.T) (all []lengthened) {
	t.Helper()
	for _, to := range targets(t) {
		for _, list := range lists() {
			all = append(all, lengthened{to, list})
		}
	}
	return all
}

// someOfEachList gives every list once in every third syntax. The formats of a syntax take turns. The seed decides which syntaxes, and in which
// order the formats.
func someOfEachList(t *testing.T) (some []lengthened) {
	t.Helper()
	r, bySyntax := drawn(t), map[string][]target{}
	for _, to := range targets(t) {
		bySyntax[to.syntax] = append(bySyntax[to.syntax], to)
	}
	first := r.IntN(3)
	for n, syntax := range slices.Sorted(maps.Keys(bySyntax)) {
		of := bySyntax[syntax]
		r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
		all := lists()
		for i := (first + n) % 3; i < len(all); i += 3 {
			some = append(some, lengthened{of[i/3%len(of)], all[i]})
		}
	}
	return some
}

// asked is the body of a request.
type asked struct {
	Invoice *invoice.Invoice       `json:"invoice"`
	Options *invoice.FormatOptions `json:"formatOptions,omitzero"`
}

// lines is the syntax whose documents are lines of text, so few that they cannot grow; what is counted is how they are written.
const lines = "qr-bill"

// vatIDs are those of sellers in countries whose format takes no other sellers.
var vatIDs = map[string]string{"pl": "PL1234563218", "hu": "HU12345676"}

// exchangeRates are those of the euro in the formats that state all amounts in the currency of their country as well.
var exchangeRates = map[string]int64{"isdoc": 25, "nav": 385}

// request asks for an invoice in which a list has n entries, as different from each other as they can be.
func request(t *testing.T, to target, list string, n int) []byte {
	t.Helper()
	source, err := os.ReadFile("../../testdata/xrechnung-ubl/full.json")
	if err != nil {
		t.Fatal(err)
	}
	body := asked{Options: to.options}
	if err := json.Unmarshal(source, &body); err != nil {
		t.Fatal(err)
	}
	body.Invoice.PrepaidAmount, body.Invoice.Prepayments = decimal.Decimal{}, nil
	if to.country != "de" { // the national members are those of an invoice from Germany
		body.Invoice.CountrySpecific = &invoice.CountrySpecific{CountryCode: strings.ToUpper(to.country)}
	}
	if rate, national := exchangeRates[to.syntax]; national {
		body.Invoice.CountrySpecific.ExchangeRate = decimal.New(rate, 0)
	}
	if id, national := vatIDs[to.country]; national {
		body.Invoice.Seller.VATID, body.Invoice.Seller.CountryCode = id, strings.ToUpper(to.country)
	}
	for _, p := range []*invoice.Party{body.Invoice.Payee, body.Invoice.Seller} {
		if to.syntax == lines && p != nil {
			p.Street, p.City, p.PostalCode, p.CountryCode = "Rue du Lac 12", "Biel", "2501", "CH"
			p.BankAccount = &invoice.BankAccount{IBAN: "CH9300762011623852957"}
		}
	}
	if strings.Contains(list, "subItems") || list == "thirdPartyPayments[]" {
		body.Invoice.Profile = invoice.ProfileXRechnungExtension
	}
	lengthen(reflect.ValueOf(body.Invoice).Elem(), strings.Split(strings.TrimSuffix(list, "[]"), "."), n)
	out, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lengthen gives the list at a path n entries; the lists around it keep theirs, or get one.
func lengthen(v reflect.Value, path []string, n int) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), 0)
		}
		v = v.Elem()
	}
	name, inList := strings.CutSuffix(path[0], "[]")
	member := v.FieldByIndex(memberNamed(v.Type(), name))
	switch {
	case len(path) == 1:
		first := reflect.New(member.Type().Elem()).Elem()
		if member.Len() > 0 {
			first.Set(member.Index(0))
		}
		member.Set(reflect.MakeSlice(member.Type(), n, n))
		for i := range n {
			member.Index(i).Set(first)
			fill(member.Index(i), i)
		}
	case inList:
		if member.Len() == 0 {
			member.Set(reflect.MakeSlice(member.Type(), 1, 1))
			fill(member.Index(0), 0)
		}
		lengthen(member.Index(0), path[1:], n)
	default:
		lengthen(member, path[1:], n)
	}
}

func memberNamed(t reflect.Type, name string) []int {
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
			return []int{i}
		}
	}
	panic("there is no member " + name)
}

// fill gives the leaves of an entry values that the other entries do not have, where their type allows that.
func fill(v reflect.Value, i int) {
	switch value := v.Addr().Interface().(type) {
	case *decimal.Decimal:
		*value = decimal.New(int64(i%10_000+1), 2)
	case *invoice.Date:
		*value = "2026-03-02"
	case *invoice.Base64:
		*value = invoice.Base64("text")
	case *string:
		*value = fmt.Sprintf("x%d", i)
	case *invoice.PaymentMethodType:
		*value = invoice.PayCreditTransfer
	case *invoice.LineSubtype:
	case *invoice.DiscountType:
		*value = invoice.DiscountAbsolute
	default:
		fillMembers(v, i)
	}
}

// fillMembers fills a struct; groups and lists in it stay as they are.
func fillMembers(v reflect.Value, i int) {
	if v.Kind() != reflect.Struct {
		return
	}
	for at := range v.NumField() {
		f := v.Field(at)
		switch {
		case strings.Contains(strings.ToLower(v.Type().Field(at).Name), "country"):
			f.SetString("DE")
		case f.Kind() == reflect.Struct, f.Kind() == reflect.String, f.Type() == reflect.TypeFor[invoice.Base64]():
			fill(f, i)
		case f.Type() == reflect.TypeFor[*bool]():
			f.Set(reflect.ValueOf(new(bool)))
		}
	}
}

// source is a document.
type source struct {
	name, country string
	text          []byte
	elements      map[string]span
}

// span is where the first element of a path stands.
type span struct{ from, to int64 }

// documents are a written one for each format, with something in every list, and those of testdata.
func documents(t *testing.T) (list []*source) {
	t.Helper()
	s, err := operation.New(operation.Config{}) // without rulebooks, so that it writes what they would refuse
	if err != nil {
		t.Fatal(err)
	}
	for _, to := range targets(t) {
		if to.judgedOnly || to.syntax == lines {
			continue
		}
		answer, err := s.Generate(t.Context(), operation.GenerateRequest{Country: to.country, Format: to.format, Body: whole(t, to)})
		if _, refused := errors.AsType[*finding.Refusal](err); refused { // by its rates, or by sums that are not those of the entries
			answer, err = s.Generate(t.Context(), operation.GenerateRequest{Country: to.country, Format: to.format, Body: countrySample(t, to.country)})
		}
		if err != nil {
			t.Fatal(to, err)
		}
		list = append(list, &source{name: to.String(), country: to.country, text: answer.Data})
	}
	for _, name := range []string{"peppol-bis", "references", "sub-lines", "tax-currency"} {
		text, err := os.ReadFile(filepath.Join("../../testdata/documents", name+".xml"))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, &source{name: name, country: "de", text: text})
	}
	return list
}

func countrySample(t *testing.T, country string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("../../testdata/countries", country+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// whole is a request with an entry in every list.
func whole(t *testing.T, to target) []byte {
	t.Helper()
	var body asked
	if err := json.Unmarshal(request(t, to, "items[]", 1), &body); err != nil {
		t.Fatal(err)
	}
	for _, name := range lists() {
		lengthen(reflect.ValueOf(body.Invoice).Elem(), strings.Split(strings.TrimSuffix(name, "[]"), "."), 1)
	}
	body.Invoice.Total = en16931.TotalWithTax(body.Invoice)
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// element is an element of a document, by its path.
type element struct {
	source *source
	path   string
}

// elementsOf lists the elements of all documents below their document elements.
func elementsOf(t *testing.T, documents []*source) (all []element) {
	t.Helper()
	for _, d := range documents {
		for _, path := range d.repeatable(t) {
			all = append(all, element{d, path})
		}
	}
	if len(all) == 0 {
		t.Fatal("there is no element")
	}
	return all
}

// repeatable lists the paths of the elements below the document element.
func (d *source) repeatable(t *testing.T) (paths []string) {
	t.Helper()
	d.elements = map[string]span{}
	r := xml.NewDecoder(bytes.NewReader(d.text))
	var names []string
	var starts []int64
	for {
		before := r.InputOffset()
		token, err := r.RawToken()
		if errors.Is(err, io.EOF) {
			return paths
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			names, starts = append(names, token.Name.Local), append(starts, before)
		case xml.EndElement:
			path := "/" + strings.Join(names, "/")
			if _, known := d.elements[path]; !known && len(names) > 1 {
				d.elements[path] = span{starts[len(starts)-1], r.InputOffset()}
				paths = append(paths, path)
			}
			names, starts = names[:len(names)-1], starts[:len(starts)-1]
		}
	}
}

// repeated is the document with n of the elements of a path.
func (d *source) repeated(path string, n int) []byte {
	at := d.elements[path]
	text := d.text[at.from:at.to]
	n /= 1 + bytes.Count(text, []byte("<cac:SubInvoiceLine>")) // so that there are not more lines than an invoice may have
	return slices.Concat(d.text[:at.from], bytes.Repeat(text, n), d.text[at.to:])
}
