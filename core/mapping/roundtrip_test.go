package mapping

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
)

// coveredLeaves are the leaves of the invoice object that testTable takes from any invoice, in any document.
func coveredLeaves(t *testing.T, m *mappings) []string {
	t.Helper()
	covered := coverage{}
	m.plans[0].cover(m.plans[0].tree, "", m.plans[0].syntax.invoice, nil, covered)
	computed := []string{"profile", "taxSummary[].taxAmount", "taxSummary[].taxCurrencyTaxAmount", "taxCurrencyCode", "currency"}
	var leaves []string
	for _, path := range invoice.LeafPaths() {
		if _, ok := covered[path]; ok && !slices.Contains(computed, path) {
			leaves = append(leaves, path)
		}
	}
	return leaves
}

// TestAnyInvoiceOfTheTableComesBack draws invoices with the members of the table and reads what was written of them.
func TestAnyInvoiceOfTheTableComesBack(t *testing.T) {
	m := testMapping(t)
	leaves := coveredLeaves(t, m)
	if len(leaves) != 38 {
		t.Fatalf("%d leaves: %q", len(leaves), leaves)
	}
	rapid.Check(t, func(t *rapid.T) {
		inv := &invoice.Invoice{Currency: "EUR"}
		for _, path := range leaves {
			if rapid.Bool().Draw(t, path) {
				place(t, reflect.ValueOf(inv).Elem(), strings.Split(path, "."))
			}
		}
		settle(inv)
		text, unwritten := write(t, m, inv, bill)
		got := read(t, m, text)
		if diff := cmp.Diff(inv, got.Invoice, cmp.Comparer(decimal.Decimal.Equal)); diff != "" {
			t.Fatalf("%s\n%s", diff, text)
		}
		if got.Account.Reported > 0 || len(unwritten) > 0 {
			t.Fatalf("%+v\nunwritten %v\n%s", got.Account, unwritten, text)
		}
	})
}

// place sets one leaf, in one or two entries of each list on the way.
func place(t *rapid.T, v reflect.Value, steps []string) {
	name, list := strings.CutSuffix(steps[0], "[]")
	f, _ := memberOf(v.Type(), name)
	v = v.FieldByIndex(f.Index)
	if list {
		for i := range rapid.IntRange(1, 2).Draw(t, name) {
			if v.Len() <= i {
				v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			}
			place(t, v.Index(i), steps[1:])
		}
		return
	}
	if len(steps) == 1 {
		draw(t, v)
		return
	}
	place(t, made(v), steps[1:])
}

func draw(t *rapid.T, v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *decimal.Decimal:
		*p = decimal.New(rapid.Int64Range(-1e9, 1e9).Draw(t, "coefficient"), rapid.IntRange(0, 6).Draw(t, "scale"))
	case *invoice.Date:
		*p = invoice.Date(rapid.SampledFrom([]string{"2024-02-29", "0001-01-01", "9999-12-31"}).Draw(t, "day"))
	case *invoice.Base64:
		*p = invoice.Base64(rapid.SampledFrom([]string{"QQ==", "QUI=", "QUJD"}).Draw(t, "base64"))
	case **int:
		n := rapid.IntRange(-5, 1<<40).Draw(t, "int")
		*p = &n
	case **bool:
		b := rapid.Bool().Draw(t, "bool")
		*p = &b
	default:
		v.SetString(rapid.StringMatching(`[!-9;-~äß€]([ -9;-~\t\né]{0,8}[!-9;-~😀])?`).Draw(t, "text"))
	}
}

// settle takes out what the table cannot tell apart or cannot write: texts of attributes without their element's, entries
// with nothing in them, and what stands below a list that is empty.
func settle(inv *invoice.Invoice) {
	inv.NoteEntries = slices.DeleteFunc(inv.NoteEntries, func(n invoice.Note) bool { return n.Text == "" })
	for i := range inv.NoteEntries {
		inv.NoteEntries[i].SubjectCode = strings.TrimSpace(inv.NoteEntries[i].SubjectCode)
	}
	inv.Attachments = slices.DeleteFunc(inv.Attachments, func(a invoice.Attachment) bool { return a.Content == "" })
	if inv.ObjectID == "" {
		inv.ObjectIDScheme = ""
	}
	if inv.OrderNumber == "" && inv.SalesOrderNumber != "" {
		inv.OrderNumber = "NA"
	}
	if len(inv.PaymentMethods) == 0 {
		inv.PaymentReference, inv.CardAccount = "", nil
	} else if inv.CardAccount == nil {
		inv.CardAccount = &invoice.CardAccount{PAN: "none"}
	}
	for i := range inv.Items {
		if it := &inv.Items[i]; !it.Quantity.IsSet() {
			it.Unit, it.PerPackageQuantity = "", decimal.Decimal{}
		}
	}
	for i := range inv.TaxSummary {
		if g := &inv.TaxSummary[i]; g.TaxRate.IsSet() && !g.NetAmount.IsSet() {
			g.NetAmount = decimal.New(0, 2)
		}
	}
	inv.Items = slices.DeleteFunc(inv.Items, func(it invoice.Item) bool { return reflect.ValueOf(it).IsZero() })
	prune(reflect.ValueOf(inv).Elem())
}

// prune makes empty lists nil.
func prune(v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() == 0 {
			f.SetZero()
		}
	}
}

func TestOneMappingServesManyAtOnce(t *testing.T) {
	m := testMapping(t)
	want, _ := write(t, m, filled(), bill)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 20 {
				got, _ := write(t, m, filled(), bill)
				doc, err := xmltree.Parse([]byte(got), xmltree.Options{})
				if err != nil || got != want {
					t.Errorf("%d: %v, %s", i, err, got)
					return
				}
				reading, err := m.Read(context.Background(), doc)
				if err != nil || reading.Account.Reported > 0 || len(reading.Invoice.Items) != 2 {
					t.Errorf("%d: %v, %+v", i, err, reading)
				}
				for el := range elements(doc, doc.Root()) {
					if place := m.Locate(doc, el); place.Field != "profile" {
						t.Errorf("%d: the first element comes from %q", i, place.Field)
					}
					break
				}
			}
		})
	}
	group.Wait()
}

// FuzzRead holds that any document of the syntax can be read, that each of its leaves is accounted for once, and that what was
// read is written and read again without a change, or with a report.
func FuzzRead(f *testing.F) {
	m, err := Compile(&testTable)
	if err != nil {
		f.Fatal(err)
	}
	text, _ := write(f, m, filled(), bill)
	f.Add([]byte(text))
	text, _ = write(f, m, filled(), memo)
	f.Add([]byte(text))
	for _, content := range []string{
		"", "text", `<x:Ref><x:Kind>130</x:Kind><x:No scheme="a">b<!-- c -->d<x:E/></x:No></x:Ref>`, "<x:Day>2026-02-28Z</x:Day><x:Net>+1.</x:Net>",
		`<x:Sum><x:Amount cur=""/><x:Part/></x:Sum><x:Sum/>`, `<x:Doc><x:File mime="a"> QQ = = </x:File></x:Doc><x:Doc/><x:Row><x:No>1</x:No></x:Row>`,
		`<x:Cur>E</x:Cur><x:TaxCur>E</x:TaxCur><x:Sum><x:Amount cur="E">1</x:Amount><x:Part><x:Base>9</x:Base><x:Rate>8</x:Rate></x:Part></x:Sum>`,
	} {
		f.Add([]byte(document(content)))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		doc, err := xmltree.Parse(src, xmltree.Options{})
		if err != nil {
			return
		}
		first, err := m.Read(context.Background(), doc)
		if err != nil {
			return
		}
		a := first.Account
		if all := mappingtest.Leaves(doc); a.Mapped+a.Derived+a.Reported != all || a.Reported != len(a.Leaves) {
			t.Fatalf("%d leaves, %+v", all, a)
		}
		l := m.NewLocator(doc)
		for n := xmltree.Node(0); int(n) < doc.Len(); n++ {
			l.Locate(n)
		}
		text, _ := write(t, m, first.Invoice, first.Element)
		again := read(t, m, text)
		once, _ := write(t, m, again.Invoice, again.Element)
		if once != text && again.Account.Reported == 0 {
			t.Fatalf("%s\nis written again as\n%s", text, once)
		}
	})
}
