package mapping

import (
	"reflect"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestLocateGivesThePlaceOfEachNode has the text or attribute by its path.
func TestLocateGivesThePlaceOfEachNode(t *testing.T) {
	want := map[string]Place{
		"/Bill":                             {},
		"/Bill/x:Spec":                      {"profile", "BT-24"},
		"/Bill/x:No":                        {"invoiceNumber", "BT-1"},
		"/Bill/Local":                       {"buyerReference", "BT-10"},
		"/Bill/x:BillType":                  {"countrySpecific.invoiceTypeCode", "BT-3"},
		"/Bill/x:Note[2]":                   {"noteEntries[1].text", "BG-1"},
		"/Bill/x:Order":                     {"", ""},
		"/Bill/x:Order/x:No":                {"orderNumber", "BT-13"},
		"/Bill/x:Order/x:No/@kind":          {"orderNumber", "BT-13"},
		"/Bill/x:Ref/x:No/@scheme":          {"objectIdScheme", "BT-18-1"},
		"/Bill/x:Doc[2]":                    {"attachments[1]", "BG-24"},
		"/Bill/x:Doc[2]/x:File/@mime":       {"attachments[1].mimeType", "BT-125-1"},
		"/Bill/x:Doc[3]/x:No":               {"supportingDocuments[0].id", "BT-122"},
		"/Bill/x:Doc[4]/x:No":               {"supportingDocuments[1].id", "BT-122"},
		"/Bill/x:Maker":                     {"seller", "BG-4"},
		"/Bill/x:Maker/x:Tax[1]/x:Id":       {"seller.vatId", "BT-31"},
		"/Bill/x:Maker/x:Tax[2]/x:Id":       {"seller.taxId", "BT-32"},
		"/Bill/x:Maker/x:Tax[2]/x:Scheme":   {"seller", ""},
		"/Bill/x:Maker/x:Person":            {"seller", "BG-4"},
		"/Bill/x:Maker/x:Person/x:Name":     {"seller.contact.name", "BT-41"},
		"/Bill/x:To":                        {"delivery.address", "BG-15"},
		"/Bill/x:To/@country":               {"delivery.address.countryCode", "BT-80"},
		"/Bill/x:Means[2]/x:Remark":         {"paymentReference", "BT-83"},
		"/Bill/x:Means[1]/x:Pan":            {"cardAccount.pan", "BT-87"},
		"/Bill/x:Extra[2]/x:Amount/@cur":    {"allowancesCharges[1].amount", "BT-92 BT-99"},
		"/Bill/x:Sum[1]/x:Amount":           {"taxSummary[].taxAmount", "BT-110"},
		"/Bill/x:Sum[1]/x:Part[2]/x:Rate":   {"taxSummary[1].taxRate", "BT-119"},
		"/Bill/x:Sum[2]/x:Amount":           {"taxSummary[].taxCurrencyTaxAmount", "BT-111"},
		"/Bill/x:Row[2]/@sub":               {"items[1].lineSubtype", "BG-25"},
		"/Bill/x:Row[1]/x:Qty":              {"items[0].quantity", "BT-129"},
		"/Bill/x:Row[1]/x:Qty/@unit":        {"items[0].unit", "BT-130"},
		"/Bill/x:Row[1]/x:Trait[2]/x:Value": {"items[0].attributes[1].value", "BT-161"},
		"/Bill/x:Row[2]/x:Trait/x:Name":     {"items[1].attributes[0].name", "BT-160"},
	}
	m := testMapping(t)
	text, _ := write(t, m, filled(), bill)
	doc := parse(t, text)
	l, paths := m.NewLocator(doc), xmltree.NewLocator(doc)
	seen := 0
	for n := xmltree.Node(1); int(n) < doc.Len(); n++ {
		if place, ok := want[paths.Path(n)]; ok {
			seen++
			if place.Term == "" && strings.HasSuffix(paths.Path(n), "x:Scheme") {
				place.Term = "BG-4"
			}
			if got := l.Locate(n); got != place {
				t.Errorf("%s: %+v, want %+v", paths.Path(n), got, place)
			}
			if got := m.Locate(doc, n); got != place {
				t.Errorf("%s alone: %+v, want %+v", paths.Path(n), got, place)
			}
		}
	}
	if seen != len(want) {
		t.Errorf("%d of %d paths are in the document", seen, len(want))
	}
}

func TestLocateOfWhatNoRowTakesGivesTheNearest(t *testing.T) {
	m := testMapping(t)
	doc := parse(t, "<!-- a -->"+document(`<x:Row><x:Name>N</x:Name></x:Row><x:Row><x:New a="1"><x:Name>M</x:Name></x:New></x:Row>`))
	for n := xmltree.Node(0); int(n) < doc.Len(); n++ {
		want := Place{}
		switch path := doc.Path(n); {
		case strings.HasPrefix(path, "/Bill/x:Row[2]"):
			want = Place{"items[1]", "BG-25"}
		case strings.HasPrefix(path, "/Bill/x:Row[1]/x:Name"):
			want = Place{"items[0].description", "BT-153"}
		case strings.HasPrefix(path, "/Bill/x:Row[1]"):
			want = Place{"items[0]", "BG-25"}
		}
		if got := m.Locate(doc, n); got != want {
			t.Errorf("%s: %+v, want %+v", doc.Path(n), got, want)
		}
	}
	other := parse(t, "<Other/>")
	if got := m.Locate(other, other.Root()); got != (Place{}) {
		t.Errorf("in another syntax: %+v", got)
	}
}

// TestEachWrittenLeafIsLocatedAtItsMember writes one invoice for each leaf, with that leaf changed, and holds the place that
// Locate gives for the text that changed against the leaf.
func TestEachWrittenLeafIsLocatedAtItsMember(t *testing.T) {
	m := testMapping(t)
	for _, root := range []string{bill, memo} {
		before := textsOf(t, m, filled(), root)
		for path := range invoice.Leaves(filled()) {
			inv := filled()
			change(member(t, inv, path))
			found := false
			for field, text := range textsOf(t, m, inv, root) {
				if text != before[field] {
					found = found || field == path || field == strings.Replace(path, "subjectCode", "text", 1) || totalOf(field, path)
				}
			}
			if !found && !structural[path] {
				t.Errorf("%s: no text that changes with %s is located there", root, path)
			}
		}
	}
}

// structural are members whose change moves other texts away from where they are looked for.
var structural = map[string]bool{"currency": true, "taxCurrencyCode": true}

func totalOf(field, path string) bool {
	return strings.HasPrefix(path, "taxSummary[") && field == "taxSummary[]."+path[strings.Index(path, "].")+2:]
}

// textsOf gives the texts and attributes of the written document by the member that they are located at.
func textsOf(t *testing.T, m *mappings, inv *invoice.Invoice, root string) map[string]string {
	t.Helper()
	text, _ := write(t, m, inv, root)
	doc := parse(t, text)
	l, texts := m.NewLocator(doc), map[string]string{}
	for n := xmltree.Node(1); int(n) < doc.Len(); n++ {
		if kind := doc.Kind(n); kind == xmltree.KindText || kind == xmltree.KindAttribute {
			texts[l.Locate(n).Field] += doc.String(n)
		}
	}
	return texts
}

// member finds a leaf by its path.
func member(t *testing.T, inv *invoice.Invoice, path string) reflect.Value {
	t.Helper()
	v := reflect.ValueOf(inv).Elem()
	for step := range strings.SplitSeq(path, ".") {
		name, rest, list := strings.Cut(step, "[")
		f, ok := memberOf(v.Type(), name)
		if !ok {
			t.Fatalf("no member %s of %s", name, path)
		}
		v = v.FieldByIndex(f.Index)
		if list {
			v = v.Index(int(rest[0] - '0'))
		}
		if v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct {
			v = v.Elem()
		}
	}
	return v
}

// change gives a leaf another value of its kind.
func change(v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *decimal.Decimal:
		*p = p.Add(decimal.New(1111, 2))
	case *invoice.Date:
		*p = "2027-12-31"
	case **int:
		**p += 70
	case **bool:
		**p = !**p
	default:
		v.SetString("other")
	}
}

// nodeAt finds the node with a path.
func nodeAt(t *testing.T, doc *xmltree.Document, path string) xmltree.Node {
	t.Helper()
	paths := xmltree.NewLocator(doc)
	for n := xmltree.Node(0); int(n) < doc.Len(); n++ {
		if kind := doc.Kind(n); (kind == xmltree.KindElement || kind == xmltree.KindAttribute) && paths.Path(n) == path {
			return n
		}
	}
	t.Fatal("no node", path)
	return xmltree.None
}
