package xmltree

import "testing"

// TestCut ensures that an element is a document of its own when it is cut out: with the namespaces that it needs, and without what
// stands around it.
func TestCut(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"a namespace that it inherits", `<a xmlns="urn:1"><b>x</b></a>`, `<b xmlns="urn:1">x</b>`},
		{"one that it declares itself", `<a xmlns="urn:1"><b xmlns="urn:2">x</b></a>`, `<b xmlns="urn:2">x</b>`},
		{"a prefix that texts may mean", `<a xmlns:q="urn:q"><b t="q:x"/></a>`, `<b xmlns:q="urn:q" t="q:x"/>`},
		{"the prefix of what is around it", `<e:a xmlns:e="urn:e"><b/></e:a>`, `<b/>`},
		{"the same where it is used within", `<e:a xmlns:e="urn:e"><b><e:c/></b></e:a>`, `<b xmlns:e="urn:e"><e:c/></b>`},
		{"no default namespace where all have prefixes", `<a xmlns="urn:1" xmlns:q="urn:q"><q:b/></a>`, `<q:b xmlns:q="urn:q"/>`},
		{"characters of a namespace", `<a xmlns="urn:&amp;&lt;&quot;"><b/></a>`, `<b xmlns="urn:&amp;&lt;&quot;"/>`},
		{"what follows it", "<a><b>1</b> <c/> <!-- </d> --> </a>\n<!-- > -->", `<b>1</b>`},
		{"comments behind it", "<a><b>1</b><!-- > --></a ><!-- </b> -->", `<b>1</b>`},
		{"a closing tag with white space", "<a><b>1</b\n></a>", "<b>1</b\n>"},
	} {
		doc, err := Parse([]byte(c.source), Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := string(doc.Cut(doc.FirstChild(doc.Root()))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		doc.Release()
	}
}
