//go:build corpus || oracles

package xsd

import "testing"

// TestShippedSchemasGiveTheVerdictsOfTheCorpus ensures that each schema that ships accepts and refuses the same documents as the
// official one, and for the same reason.
func TestShippedSchemasGiveTheVerdictsOfTheCorpus(t *testing.T) {
	compiled := map[string]*Schema{}
	for name := range shippedSchemas {
		compiled[name] = shippedSchema(t, name)
	}
	verdicts(t, func(name string) *Schema {
		if compiled[name] == nil {
			t.Fatalf("no schema for %s ships", name)
		}
		return compiled[name]
	})
}
