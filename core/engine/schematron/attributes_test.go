package schematron

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// TestEvaluate_ComesToTheAttributesThatTheStylesheetSelects ensures that a rule with an attribute as context runs at the attributes
// that the templates of a stylesheet go on to, which differ for elements with a rule and elements without.
func TestEvaluate_ComesToTheAttributesThatTheStylesheetSelects(t *testing.T) {
	const everywhere, elements = "@*|*", "*|comment()|processing-instruction()"
	for name, row := range map[string]struct {
		rule, others string // what the template of the rule for lines, and that for nodes without a rule, select
		want         []string
	}{
		"everywhere":               {everywhere, everywhere, []string{"number ×3: 7 | 2 | 0"}},
		"nowhere":                  {elements, elements, nil},
		"not at lines":             {elements, everywhere, []string{"number ×1: 7"}},
		"at lines only":            {everywhere, elements, []string{"number ×2: 2 | 0"}},
		"with spaces in the union": {"* | @*", "*|@*", []string{"number ×3: 7 | 2 | 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := compiled(t, files("rules.xslt", stylesheet(
				`<xsl:template match="@no|@qty" priority="1001" mode="M1"><xsl:if test="true()"><svrl:successful-report id="number"><svrl:text><xsl:value-of select="."/></svrl:text></svrl:successful-report></xsl:if>`+
					`<xsl:apply-templates mode="M1" select="*"/></xsl:template>`+
					`<xsl:template match="line" priority="1000" mode="M1"><xsl:apply-templates mode="M1" select="`+row.rule+`"/></xsl:template>`+
					`<xsl:template match="text()" priority="-1" mode="M1"/>`+
					`<xsl:template match="@*|node()" priority="-2" mode="M1"><xsl:apply-templates mode="M1" select="`+row.others+`"/></xsl:template>`)), "rules.xslt")
			for range 2 { // the second time with used memory
				v, err := p.Evaluate(t.Context(), parsed(t, order), EvaluateOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if diff := gocmp.Diff(row.want, said(v)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}
