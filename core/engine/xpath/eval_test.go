package xpath

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// order is the document most tests look at.
const orderXML = `<?pi before?><o:order xmlns:o="urn:o" xmlns="urn:n" id="o1" xml:lang="de-AT" xml:base="http://h/a/">
<line no="1"><id> A  1 </id><price cur="EUR">10.50</price><qty>3</qty></line>
<line no="2"><id>B2</id><price cur="EUR">1e1</price><qty>x</qty><!--note--></line>
<group><line no="3"><id>B2</id><price>0.1</price><line no="3a"><id>C</id></line></line></group>
<o:total>42</o:total><empty/></o:order>`

// fixture evaluates expressions of one document.
type fixture struct {
	doc    *xmltree.Document
	static *Static
	config Config
}

func newFixture(t testing.TB, source string) *fixture {
	t.Helper()
	doc, err := xmltree.Parse([]byte(source), xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{doc: doc, static: &Static{
		Namespaces: map[string]string{"o": "urn:o", "n": "urn:n"}, DefaultElement: "urn:n", BaseURI: "http://h/base/rules.sch", XSLT: true,
	}, config: Config{Now: time.Date(2026, 9, 1, 12, 30, 0, 500e6, time.FixedZone("", 2*3600)), URI: "http://h/order.xml"}}
}

// eval gives the result of an expression at the document node as text: nodes as paths, several items in parentheses, an error
// as its code.
func (x *fixture) eval(t testing.TB, source string) string {
	t.Helper()
	b := NewBuilder()
	e, err := b.Compile(source, x.static)
	if err != nil {
		return errorText(err)
	}
	m := x.machine(t, b.Build())
	items, err := e.Items(m, 0, nil)
	if err != nil {
		return errorText(err)
	}
	if err := contradiction(e, items); err != nil {
		t.Errorf("%s: %v", source, err)
	}
	return itemsText(items)
}

func (x *fixture) machine(t testing.TB, p *Program) *Machine {
	t.Helper()
	m, err := p.NewMachine(x.config)
	if err != nil {
		t.Fatal(err)
	}
	m.Start(context.Background(), x.doc)
	return m
}

func errorText(err error) string {
	if code := Code(err); code != "" {
		return code
	}
	return err.Error()
}

func itemsText(items []xdm.Item) string {
	texts := make([]string, len(items))
	for n, i := range items {
		texts[n] = i.String()
		if i.Type() == xdm.Node {
			doc, at := NodeOf(i)
			texts[n] = doc.Path(at)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// table checks expressions against their results.
func (x *fixture) table(t *testing.T, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		if got := x.eval(t, c[0]); got != c[1] {
			t.Errorf("%s\n got %s\nwant %s", c[0], got, c[1])
		}
	}
}
