package xpath_test

import (
	"context"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath"
)

func ExampleBuilder() {
	b := xpath.NewBuilder()
	total, err := b.Compile("sum(//line/xs:decimal(@amount))", &xpath.Static{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := b.Build().NewMachine(xpath.Config{})
	if err != nil {
		log.Fatal(err)
	}
	doc, err := xmltree.Parse([]byte(`<order><line amount="0.10"/><line amount="0.20"/></order>`), xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	m.Start(context.Background(), doc)
	text, err := total.Text(m, 0)
	m.Finish()
	fmt.Println(text, err)
	// Output: 0.3 <nil>
}

// A rule set has groups of rules; in each group the first rule whose context a node matches is made at that node.
func ExampleSelector() {
	b := xpath.NewBuilder()
	static := &xpath.Static{NodeContext: true, XSLT: true, Forms: xpath.TruthForm, Variables: map[string]*xpath.Variable{}}
	limit, err := b.Variable("limit", "number(/order/@limit)", "xs:double", xpath.PerDocument, static)
	if err != nil {
		log.Fatal(err)
	}
	static.Variables["limit"] = limit
	contexts := []string{"line[@free = 'true']", "line"}
	asserts := [][]string{{"not(@amount)"}, {"@amount", "@amount <= $limit", "xs:date(@due) > xs:date('2026-01-01')"}}
	var patterns []*xpath.Pattern
	var groups []*xpath.Group
	for i, context := range contexts {
		p, err := b.CompilePattern(context, static)
		if err != nil {
			log.Fatal(err)
		}
		var tests []xpath.Test
		for _, source := range asserts[i] {
			e, err := b.Compile(source, static)
			if err != nil {
				log.Fatal(err)
			}
			tests = append(tests, xpath.Test{Expr: e, Want: true})
		}
		patterns, groups = append(patterns, p), append(groups, b.Group(tests))
	}
	selector := b.Select([][]*xpath.Pattern{patterns})
	m, err := b.Build().NewMachine(xpath.Config{})
	if err != nil {
		log.Fatal(err)
	}
	doc, err := xmltree.Parse([]byte(`<order limit="10"><line amount="5" due="2026-02-01"/><line free="true" amount="1"/>`+
		`<line amount="11" due="soon"/></order>`), xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	m.Start(context.Background(), doc)
	defer m.Finish()
	for n := range xmltree.Node(doc.Len()) {
		matches, _ := selector.Matches(m, n, nil)
		for _, match := range matches {
			m.SetCurrent(n)
			outcomes, _ := groups[match.Index].Run(m, n, nil)
			for _, o := range outcomes {
				fmt.Printf("%s: %s: %q\n", doc.Path(n), asserts[match.Index][o.Index], xpath.Code(o.Err))
			}
		}
	}
	// Output:
	// /order/line[2]: not(@amount): ""
	// /order/line[3]: @amount <= $limit: ""
	// /order/line[3]: xs:date(@due) > xs:date('2026-01-01'): "FORG0001"
}
