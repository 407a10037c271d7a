package operation

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// heardElsewhere are the members that may change nothing, as others say what they do, with the reason.
var heardElsewhere = map[string]string{
	"serviceCategory":                                        "it decides about a note and says nothing itself",
	"profile":                                                "it chooses between the customisations of XRechnung",
	"businessProcess":                                        "formats prescribe it",
	"countrySpecific.invoiceTypeCode":                        "type gives it",
	"items[].priceBaseUnit":                                  "it is the unit of the quantity",
	"AE seller.registrationType":                             "TL is that of a number without a type",
	"FR countrySpecific.vatOnDebits":                         "false is what a document without the sentence says",
	"fatturapa allowancesCharges[].taxCategoryCode":          "rate and Natura say it",
	"fatturapa countrySpecific.rea.liquidation":              "LN is written where nothing is said",
	"fatturapa items[].taxCategoryCode":                      "rate and Natura say it",
	"fatturapa taxSummary[].taxCategoryCode":                 "rate and Natura say it",
	"facturae items[].taxCategoryCode":                       "the rate says it",
	"isdoc attachments[].mimeType":                           "the name of the file says it",
	"isdoc items[].allowances[].baseAmount":                  "the amount of the line before its discount says it",
	"isdoc items[].charges[].baseAmount":                     "the amount of the line before its surcharge says it",
	"ksef paymentTerms.earlyPaymentDiscount.discountPercent": "the inputs have one percentage",
	"mydata taxSummary[].taxRate":                            "vatCategory of the lines says it",
	"nav items[].position":                                   "lines are numbered by their order",
}

// TestGenerate_EveryMemberIsHeard sets each member of the invoice object, in the sample of each country and each of its formats, to what the
// inputs of the tests have there: with one of these at least the document is another one, or a warning names the member, unless all are
// refused. No rules judge the documents. A QR-bill is left out: it is a payment, and has little of an invoice.
func TestGenerate_EveryMemberIsHeard(t *testing.T) {
	s, inputs := newService(t), observed(t)
	for _, country := range s.formats.Countries() {
		for _, token := range country.Tokens {
			if known, _ := s.formats.Token(token); known.JudgedOnly || token == "qr-bill" || s.formats.Written(country, token, format.Options{}) == nil {
				continue
			}
			t.Run(country.Code+"/"+token, func(t *testing.T) {
				t.Parallel()
				checkHeard(t, &listener{s, country.Code, token}, inputs)
			})
		}
	}
}

func checkHeard(t *testing.T, l *listener, inputs *examples) {
	base := sampleInvoice(t, l.country)
	heard := 0
	for i, leaf := range invoice.LeafPaths() {
		if strings.Contains(leaf, "subItems") || leftOut(i) || heardElsewhere[leaf]+heardElsewhere[l.country+" "+leaf]+heardElsewhere[l.token+" "+leaf] != "" {
			continue
		}
		said, unsaid := false, ""
		for _, pair := range inputs.pairs(base, leaf) {
			switch l.hears(t, leaf, pair) {
			case heardYes:
				said = true
			case heardNo:
				unsaid = fmt.Sprint(memberAt(pair[1], leaf))
			}
		}
		if said {
			heard++
		} else if unsaid != "" {
			t.Errorf("%s changes nothing when it is %q, and nothing tells of it", leaf, unsaid)
		}
	}
	if least := 250; !testing.Short() && heard < least {
		t.Errorf("%d members are heard, want %d at least", heard, least)
	}
}

// listener generates in one format of a country.
type listener struct {
	s              *Service
	country, token string
}

type hearing int

const (
	heardNotAsked hearing = iota // one of the two invoices was refused
	heardYes
	heardNo
)

// hears tells whether two invoices that differ in one member alone give different documents, or a warning of the member.
func (l *listener) hears(t *testing.T, leaf string, pair [2]any) hearing {
	t.Helper()
	var documents [2]string
	var warnings []finding.Finding
	for i, inv := range pair {
		body := map[string]any{"invoice": inv}
		if l.token == "zugferd" || l.token == "facturx" {
			body["formatOptions"] = map[string]any{"output": "xml"}
		}
		answer, err := l.s.Generate(t.Context(), GenerateRequest{Country: l.country, Format: l.token, Body: must(json.Marshal(body))(t)})
		if isRefusal(t, err) {
			return heardNotAsked
		}
		documents[i], warnings = string(answer.Data)+string(must(json.Marshal(answer.Warnings))(t)), answer.Warnings
	}
	if documents[0] != documents[1] || slices.ContainsFunc(warnings, func(w finding.Finding) bool { return tells(w.Field, leaf) }) {
		return heardYes
	}
	return heardNo
}

// tells tells whether a warning of a field is one of a member: of it, of what it is in, or of another member of the entry of a list that it is in.
func tells(field, leaf string) bool {
	field = invoice.AnyEntry(field)
	if field == "" {
		return false
	}
	at := strings.LastIndex(leaf, "[].")
	return field == leaf || strings.HasPrefix(leaf, field+".") || strings.HasPrefix(leaf, field+"[]") || at >= 0 && strings.HasPrefix(field, leaf[:at+len("[].")])
}

// examples are what the inputs of the tests have at each path: leaves, and objects, with [] for the entries of lists.
type examples struct {
	leaves, groups map[string][]any
}

// observed reads the inputs of all formats.
func observed(t *testing.T) *examples {
	t.Helper()
	e := &examples{map[string][]any{}, map[string][]any{}}
	err := filepath.WalkDir("../../testdata", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".json" {
			return err
		}
		var body struct{ Invoice map[string]any }
		if data := must(os.ReadFile(name))(t); json.Unmarshal(data, &body) == nil {
			e.add("", body.Invoice)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (e *examples) add(path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		keep(e.groups, path, v, 40)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			e.add(strings.TrimPrefix(path+"."+name, "."), v[name])
		}
	case []any:
		for _, entry := range v {
			e.add(path+"[]", entry)
		}
	default:
		keep(e.leaves, path, v, 6)
	}
}

// keep adds a value that is not there yet, up to so many.
func keep(of map[string][]any, path string, v any, most int) {
	same := func(other any) bool { return fmt.Sprint(other) == fmt.Sprint(v) }
	if len(of[path]) < most && !slices.ContainsFunc(of[path], same) {
		of[path] = append(of[path], v)
	}
}

// pairs are invoices that differ in a leaf alone: without it and with it, and with two values. Where the invoice does not have what the leaf
// is in, it gets some of those that the inputs have.
func (e *examples) pairs(base any, leaf string) (pairs [][2]any) {
	var having []any
	if missing := missingAbove(base, leaf); missing == "" {
		for _, v := range e.leaves[leaf] {
			having = append(having, with(base, leaf, v))
		}
	} else {
		const most = 3
		for _, group := range e.groups[missing] {
			if inv := with(base, missing, group); len(having) < most && memberAt(inv, leaf) != nil {
				having = append(having, inv)
			}
		}
	}
	for _, inv := range having {
		pairs = append(pairs, [2]any{with(inv, leaf, nil), inv})
		other := func(v any) bool { return fmt.Sprint(v) != fmt.Sprint(memberAt(inv, leaf)) }
		if at := slices.IndexFunc(e.leaves[leaf], other); at >= 0 {
			pairs = append(pairs, [2]any{inv, with(inv, leaf, e.leaves[leaf][at])})
		}
	}
	return pairs
}

// missingAbove is the first object or entry on the way to a leaf that an invoice does not have; "" where it has all.
func missingAbove(inv any, leaf string) string {
	steps := strings.Split(leaf, ".")
	for i := 1; i < len(steps); i++ {
		if above := strings.Join(steps[:i], "."); memberAt(inv, above) == nil {
			return above
		}
	}
	return ""
}

// memberAt is the member at a path, of which [] is the first entry of a list; nil where there is none.
func memberAt(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		name, entry := strings.CutSuffix(step, "[]")
		object, _ := v.(map[string]any)
		v = object[name]
		if list, _ := v.([]any); entry {
			if v = nil; len(list) > 0 {
				v = list[0]
			}
		}
	}
	return v
}

// with is a copy of a value with another one at a path, or, for nil, with none there.
func with(v any, path string, value any) any {
	if path == "" {
		return value
	}
	step, rest, _ := strings.Cut(path, ".")
	name, entry := strings.CutSuffix(step, "[]")
	object, _ := v.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	old := object[name]
	if list, _ := old.([]any); entry {
		if old = nil; len(list) > 0 {
			old = list[0]
		}
	}
	changed := with(old, rest, value)
	switch list, _ := object[name].([]any); {
	case changed == nil:
		delete(object, name)
	case entry && len(list) > 0:
		object[name] = slices.Concat([]any{changed}, list[1:])
	case entry:
		object[name] = []any{changed}
	default:
		object[name] = changed
	}
	return object
}

func sampleInvoice(t *testing.T, country string) any {
	t.Helper()
	var body struct{ Invoice any }
	if err := json.Unmarshal(must(os.ReadFile(filepath.Join(repositoryRoot, samples, strings.ToLower(country)+".json")))(t), &body); err != nil {
		t.Fatal(err)
	}
	return body.Invoice
}
