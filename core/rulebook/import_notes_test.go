package rulebook

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// twice is a rule set whose pattern gives $test two different values, and $same the same value twice.
const twice = `<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2">
<ns prefix="u" uri="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"/>
<pattern id="model" abstract="true"><rule context="$same"><assert id="A" test="$test">x</assert></rule></pattern>
<pattern id="ubl" is-a="model">
<param name="same" value="/"/><param name="same" value="/"/><param name="test" value="true()"/>
<param name="test" value="false()"/>
</pattern></schema>`

// TestImport_TellsOfParametersWithTwoValues ensures that who imports such rules as they are learns that there is a choice, and where.
func TestImport_TellsOfParametersWithTwoValues(t *testing.T) {
	const note = "parameters that a pattern gives two different values: 1, the first $test at rules-1.0.sch:6; the first value counts, as the ISO skeleton has it: " +
		"import with --parameters last where the publisher's own tools take the last, as those of EN 16931 CII do"
	for parameters, want := range map[string][]string{"": {note}, "first": {note}, "last": nil} {
		source, into := inMemory(map[string]string{"rules-1.0.sch": twice}), &memoryFolder{files: map[string]string{}}
		done, err := Import(context.Background(), source, into, ImportOptions{Parameters: parameters})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, done.Notes); diff != "" {
			t.Errorf("parameters %q: %s", parameters, diff)
		}
	}
}
