package sch

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// TestSchema_Bytes ensures that each part of a schema stands where ISO Schematron has it, escaped.
func TestSchema_Bytes(t *testing.T) {
	s := Schema{
		Comment: "a library", Title: "Books & shelves", Namespaces: []Namespace{{"l", "urn:l"}}, Lets: []Let{{"all", "//l:book"}},
		Includes: []string{"shared/more.sch"},
		Patterns: []Pattern{
			{ID: "abstract", Abstract: true, Rules: []Rule{{Context: "$book", Assertions: []Assertion{{ID: "A", Test: "$title"}}}}},
			{ID: "concrete", IsA: "abstract", Parameters: []Let{{"book", "l:book"}}},
			{ID: "empty", IsA: "abstract"},
			{ID: "own", Lets: []Let{CodeList("n", []string{"A", "B"})}, Rules: []Rule{{Comment: "shelves", Context: "l:shelf", Lets: []Let{{"m", "2"}}, Assertions: []Assertion{
				{ID: "B", Flag: "fatal", Test: `@n < "2" and l:x > 'a'`, Text: "It's {@n} & \"more\", {count(l:x)}."},
				{ID: "C", Report: true, Test: "true()"},
			}}}},
		},
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<!-- a library -->
<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
  <title>Books &amp; shelves</title>
  <ns prefix="l" uri="urn:l"/>
  <let name="all" value="//l:book"/>
  <include href="shared/more.sch"/>
  <pattern abstract="true" id="abstract">
    <rule context="$book">
      <assert id="A" test="$title"></assert>
    </rule>
  </pattern>
  <pattern is-a="abstract" id="concrete">
    <param name="book" value="l:book"/>
  </pattern>
  <pattern is-a="abstract" id="empty"/>
  <pattern id="own">
    <let name="n" value="tokenize('A B', ' ')"/>
    <!-- shelves -->
    <rule context="l:shelf">
      <let name="m" value="2"/>
      <assert id="B" flag="fatal" test="@n &lt; &quot;2&quot; and l:x > 'a'">It's <value-of select="@n"/> &amp; "more", <value-of select="count(l:x)"/>.</assert>
      <report id="C" test="true()"></report>
    </rule>
  </pattern>
</schema>
`
	if got := string(s.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPattern_Bytes ensures that a pattern alone is a file that can be included.
func TestPattern_Bytes(t *testing.T) {
	p := Pattern{ID: "p", Rules: []Rule{{Context: "x", Assertions: []Assertion{{ID: "A", Test: "y"}}}}}
	got := p.Bytes("one")
	if !strings.Contains(string(got), `<pattern xmlns="http://purl.oclc.org/dsdl/schematron" id="p">`) {
		t.Errorf("%s", got)
	}
	for d := xml.NewDecoder(strings.NewReader(string(got))); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
