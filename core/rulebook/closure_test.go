package rulebook

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
)

// everywhere is a rule set with a reference to a code list in each place where an expression may stand; %s is a document.
var everywhere = `<schema xmlns="http://purl.oclc.org/dsdl/schematron" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" queryBinding="xslt2">
  <ns prefix="f" uri="urn:f"/>
  <let name="a" value="%s"/>
  <phase id="p"><let name="b" value="%s"/></phase>
  <xsl:function name="f:f">
    <xsl:variable name="v" select="%s"/>
    <xsl:variable name="w"><xsl:value-of select="%s"/></xsl:variable>
    <xsl:choose><xsl:when test="%s"><xsl:sequence select="%s"/></xsl:when><xsl:otherwise><xsl:text>x</xsl:text><xsl:sequence select="%s"/></xsl:otherwise></xsl:choose>
  </xsl:function>
  <pattern id="x"><let name="c" value="%s"/>
    <rule context="%s"><let name="d" value="%s"/><assert test="%s" diagnostics="d">no <value-of select="%s"/></assert></rule>
  </pattern>
  <diagnostics><diagnostic id="d"><value-of select="%s"/></diagnostic></diagnostics>
</schema>`

func TestRuleFiles_FindsCodeListsInEveryExpression(t *testing.T) {
	files, want := map[string]string{}, []string{"rules/a.sch"}
	rules := everywhere
	for i := range strings.Count(everywhere, "%s") {
		name := fmt.Sprintf("codes/%02d.xml", i)
		files[name] = "<codes/>"
		want = append(want, name)
		rules = strings.Replace(rules, "%s", []string{"document('../" + name + "')", "doc( &quot;../" + name + "&quot; )//x"}[i%2], 1)
	}
	files["rules/a.sch"] = rules
	s, err := scan(t.Context(), inMemory(files), Limits{Entries: 100, FileBytes: 1 << 20, Bytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	set, err := schematron.Read(s, "rules/a.sch", schematron.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, missing := s.ruleFiles(set)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(missing) > 0 {
		t.Error(diff, missing)
	}
}

func TestNotes_NameEachThingOnce(t *testing.T) {
	got := notes([]absence{{"a.xml", "r.sch:1"}, {"b.xml", "r.sch:2"}, {"a.xml", "r.sch:3"}, {"a.xml", "r.sch:1"}})
	want := []string{
		"a.xml is not in the source; places that refer to it: 3, the first r.sch:1",
		"b.xml is not in the source; r.sch:2 refers to it",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestResolve_StaysInside(t *testing.T) {
	for _, test := range []struct{ name, reference, want string }{
		{"a/b.sch", "c.xml", "a/c.xml"},
		{"a/b.sch", " ../c%20d.xml ", "c d.xml"},
		{"a/b.sch", "c.xml#id", "a/c.xml"},
		{"a/b.sch", "../../c.xml", ""},
		{"a/b.sch", "/c.xml", ""},
		{"a/b.sch", "file:///c.xml", ""},
		{"a/b.sch", "//host/c.xml", ""},
		{"a/b.sch", "http://example.com/c.xml", ""},
		{"a/b.sch", "", ""},
		{"a/b.sch", "#id", ""},
		{"a/b.sch", "%zz", ""},
		{"a/b.sch", `..\c.xml`, ""},
	} {
		if got, ok := resolve(test.name, test.reference); ok != (test.want != "") || ok && got != test.want {
			t.Errorf("%+v: %q, %v", test, got, ok)
		}
	}
}
