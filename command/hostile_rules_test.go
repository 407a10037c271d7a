package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hostileSchema is a rule set with two rules: one with the test in question, and one that fires whatever becomes of the other.
func hostileSchema(test, functions, lets string) string {
	escaped := strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;").Replace(test)
	return `<schema xmlns="http://purl.oclc.org/dsdl/schematron" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" queryBinding="xslt2">` +
		`<ns prefix="f" uri="urn:f"/>` + functions + `<pattern><rule context="/*">` + lets +
		`<assert id="HOSTILE" test="` + escaped + `">no</assert><assert id="OTHER" test="false()">still here</assert></rule></pattern></schema>`
}

func hostileFunction(body string) string {
	return `<xsl:function name="f:f"><xsl:param name="n"/><xsl:sequence select="` + body + `"/></xsl:function>`
}

// doubling makes 60 variables, each twice the one before.
func doubling(first, twice string) string {
	text := fmt.Sprintf(`<let name="a0" value="%s"/>`, first)
	for i := range 60 {
		text += fmt.Sprintf(`<let name="a%d" value="%s"/>`, i+1, strings.ReplaceAll(twice, "$a", fmt.Sprintf("$a%d", i)))
	}
	return text
}

// TestRulebooksRun_HostileRules ensures that a rule which would take for ever, or all memory, is not run, says why, and does not
// keep the others from running.
func TestRulebooksRun_HostileRules(t *testing.T) {
	t.Parallel()
	nested := func(open, inner, closed string, n int) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(closed, n)
	}
	for _, c := range []struct{ name, test, functions, lets, code string }{
		{"parentheses", nested("(", "1", ")", 60_000), "", "", "XPST0003"},
		{"predicates", "a" + nested("[a", "", "]", 20_000), "", "", "XPST0003"},
		{"calls", nested("not(", "1", ")", 30_000), "", "", "XPST0003"},
		{"conditions", nested("if (1) then ", "1", " else 2", 20_000), "", "", "XPST0003"},
		{"operators", "1" + strings.Repeat(" or 1", 100_000), "", "", "XPST0003"},
		{"steps of a path", "a" + strings.Repeat("/a", 50_000), "", "", "XPST0003"},
		{"a long number", strings.Repeat("9", 1_000_000) + " = 1", "", "", "FOAR0002"},
		{"a huge range", "sum(1 to 1000000000) = 5", "", "", "XPDY0130"},
		{"a range held", "reverse(1 to 1000000000)[1] = 5", "", "", "XPDY0130"},
		{"nested quantifiers", "every $a in 1 to 1000, $b in 1 to 1000, $c in 1 to 1000, $d in 1 to 1000 satisfies $a + $b + $c + $d > 0", "", "", "XPDY0130"},
		{"a function without end", "f:f(1) = 1", hostileFunction("f:f($n + 1)"), "", "XPDY0130"},
		{"a function that calls itself twice", "f:f(200) = 1", hostileFunction("if ($n le 0) then 1 else f:f($n - 1) + f:f($n - 2)"), "", "XPDY0130"},
		{"strings that double", "string-length($a60) = 5", "", doubling("'aaaaaaaaaaaaaaaa'", "concat($a, $a)"), "XPDY0130"},
		{"joined strings that double", "string-length($a60) = 5", "", doubling("'aaaaaaaaaaaaaaaa'", "string-join(($a, $a), '')"), "XPDY0130"},
		{"replacements that grow", "string-length($a60) = 5", "", doubling("'aaaa'", "replace($a, 'a', 'aaaaaaaaaa')"), "XPDY0130"},
		{"sequences that double", "count($a60) = 5", "", doubling("(1, 2)", "($a, $a)"), "XPDY0130"},
		{"numbers that are squared", "string-length(string($a60)) = 5", "", doubling("99999999999999999999", "$a * $a"), "FOAR0002"},
		{"repeated repetitions", "matches('aaa', '((((a{1,1000}){1,1000}){1,1000}){1,1000})')", "", "", "FORX0002"},
		{"groups in groups", "matches('aaa', '" + nested("(", "a", ")", 50_000) + "')", "", "", "FORX0002"},
	} {
		if testing.Short() && c.code == "XPDY0130" {
			continue // these take as long as they may
		}
		t.Run(c.name, func(t *testing.T) {
			rules := writeFile(t, "rules.sch", hostileSchema(c.test, c.functions, c.lets))
			stdout, stderr, code := run(t, "<r/>", "rulebooks", "run", "--json", "--schematron", rules, "-")
			var line verdictLine
			unmarshal(t, []byte(stdout), &line)
			switch {
			case code != exitInvalid:
				t.Errorf("exit code %d: %s", code, stderr)
			case len(line.NotRun) != 1 || line.NotRun[0].ID != "HOSTILE" || line.NotRun[0].Code != c.code || line.NotRun[0].Reason == "":
				t.Errorf("not run: %.500v, want %s", line.NotRun, c.code)
			case len(line.Schematron) != 1 || line.Schematron[0].ID != "OTHER":
				t.Errorf("fired: %+v", line.Schematron)
			}
		})
	}
}

// A pattern that makes other engines try all ways to match is answered.
func TestRulebooksRun_MatchesInLinearTime(t *testing.T) {
	rules := writeFile(t, "rules.sch", hostileSchema("not(matches(string-join(for $i in 1 to 5000 return 'a', ''), '^(a+)+b$'))", "", ""))
	stdout, _, _ := run(t, "<r/>", "rulebooks", "run", "--json", "--schematron", rules, "-")
	var line verdictLine
	unmarshal(t, []byte(stdout), &line)
	if len(line.NotRun) != 0 || len(line.Schematron) != 1 || line.Schematron[0].ID != "OTHER" {
		t.Errorf("%s", stdout)
	}
}

const (
	schematronHead = `<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">`
	xsdHead        = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">`
	laughs         = `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">` +
		`<!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;">` +
		`<!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;"><!ENTITY h "&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;"><!ENTITY i "&h;&h;&h;&h;&h;&h;&h;&h;&h;&h;">]>`
)

// TestRulebooks_RefuseHostileFiles ensures that rule files and schemas that cannot be had within bounds are refused with a reason,
// by the command that runs them and by the one that imports them; the latter copies a schema that only its meaning makes hostile.
func TestRulebooks_RefuseHostileFiles(t *testing.T) {
	expanding := ""
	for i := range 40 {
		expanding += fmt.Sprintf(`<rule abstract="true" id="r%d"><extends rule="r%d"/><extends rule="r%d"/></rule>`, i+1, i, i)
	}
	for _, c := range []struct{ name, file, text string }{
		{"rules that include themselves", "a.sch", schematronHead + `<include href="a.sch"/></schema>`},
		{"rules that extend themselves", "a.sch", schematronHead + `<pattern><rule abstract="true" id="r"><extends rule="r"/></rule><rule context="/*"><extends rule="r"/></rule></pattern></schema>`},
		{"rules that double", "a.sch", schematronHead + `<pattern><rule abstract="true" id="r0"><assert test="1">x</assert></rule>` + expanding + `<rule context="/*"><extends rule="r40"/></rule></pattern></schema>`},
		{"entities in rules", "a.sch", laughs + schematronHead + `<pattern><rule context="/*"><assert test="1">&i;</assert></rule></pattern></schema>`},
		{"rules nested too deeply", "a.sch", schematronHead + strings.Repeat("<p>", 100_000) + strings.Repeat("</p>", 100_000) + "</schema>"},
		{"entities in a schema", "a.xsd", laughs + xsdHead + `<xs:annotation><xs:documentation>&i;</xs:documentation></xs:annotation></xs:schema>`},
		{"a group that contains itself", "a.xsd", xsdHead + `<xs:group name="g"><xs:sequence><xs:group ref="g"/></xs:sequence></xs:group><xs:element name="r"><xs:complexType><xs:group ref="g"/></xs:complexType></xs:element></xs:schema>`},
		{"a type that extends itself", "a.xsd", xsdHead + `<xs:complexType name="t"><xs:complexContent><xs:extension base="t"/></xs:complexContent></xs:complexType><xs:element name="r" type="t"/></xs:schema>`},
		{"an attribute group that contains itself", "a.xsd", xsdHead + `<xs:attributeGroup name="g"><xs:attributeGroup ref="g"/></xs:attributeGroup><xs:element name="r"><xs:complexType><xs:attributeGroup ref="g"/></xs:complexType></xs:element></xs:schema>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := writeFile(t, c.file, c.text)
			flag := map[string]string{".sch": "--schematron", ".xsd": "--xsd"}[filepath.Ext(file)]
			for _, args := range [][]string{
				{"rulebooks", "run", flag, file, "-"},
				{"rulebooks", "import", filepath.Dir(file), "--into", t.TempDir(), "--id", "x", "--version", "1", "--syntax", "ubl", flag, c.file},
			} {
				stdout, stderr, code := run(t, "<r/>", args...)
				if code == exitOK && args[1] == "import" && strings.HasPrefix(c.text, xsdHead) {
					continue
				}
				if code == exitOK || !strings.Contains(stderr, "einvoiced: ") || stdout != "" {
					t.Errorf("%s: exit code %d: %.300s%.300s", args[1], code, stdout, stderr)
				}
			}
		})
	}
}

// TestRulebooksRun_HostileSchemas ensures that schemas which are in order, but would be huge when written out, judge.
func TestRulebooksRun_HostileSchemas(t *testing.T) {
	particle := `<xs:element name="a" minOccurs="0" maxOccurs="4000000000"/>`
	for range 3 {
		particle = `<xs:sequence minOccurs="0" maxOccurs="4000000000">` + particle + `</xs:sequence>`
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"huge.xsd":  xsdHead + `<xs:element name="r"><xs:complexType>` + particle + `</xs:complexType></xs:element></xs:schema>`,
		"cycle.xsd": xsdHead + `<xs:include schemaLocation="other.xsd"/><xs:element name="r"/></xs:schema>`,
		"other.xsd": xsdHead + `<xs:include schemaLocation="cycle.xsd"/></xs:schema>`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, document := range map[string]string{"huge.xsd": "<r>" + strings.Repeat("<a/>", 1000) + "</r>", "cycle.xsd": "<r/>"} {
		if stdout, stderr, code := run(t, document, "rulebooks", "run", "--xsd", filepath.Join(folder, name), "-"); code != exitOK {
			t.Errorf("%s: exit code %d: %s%.500s", name, code, stdout, stderr)
		}
	}
}

// TestRulebooksRun_HostileDocuments ensures that documents out of bounds are no documents to the rules, with the reason.
func TestRulebooksRun_HostileDocuments(t *testing.T) {
	rules := writeFile(t, "rules.sch", hostileSchema("1", "", ""))
	for name, document := range map[string]string{
		"entities": laughs + "<r>&i;</r>",
		"depth":    strings.Repeat("<r>", 100_000) + strings.Repeat("</r>", 100_000),
		"no end":   strings.Repeat("<r>", 100_000),
	} {
		stdout, _, code := run(t, document, "rulebooks", "run", "--json", "--schematron", rules, "-")
		var line verdictLine
		unmarshal(t, []byte(stdout), &line)
		if code != exitInvalid || len(line.NotRun) != 1 || line.NotRun[0].ID != "*" || len(line.Schematron) != 0 {
			t.Errorf("%s: exit code %d: %.500s", name, code, stdout)
		}
	}
}
