//go:build corpus

package sbdh

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestCorpus ensures that good envelopes break no rule and can be opened, that bad ones break first the rule that their name says, and that
// nothing is passed that the official schema refuses.
func TestCorpus(t *testing.T) {
	all := corpus.Nationals(t, "sbdh")
	if len(all) < 48 {
		t.Fatal(len(all))
	}
	for _, d := range all {
		data, err := os.ReadFile(d.Path)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := xmltree.Parse(data, xmltree.Options{})
		if err != nil {
			if d.Valid {
				t.Errorf("%s: %v", d.Name, err)
			}
			continue
		}
		name, faults := strings.TrimSuffix(filepath.Base(d.Name), ".xml"), Check(doc)
		rule, bad := strings.CutPrefix(name, "bad-")
		if name == "ph-sample1" {
			rule, bad = "no-sbd", true
		}
		switch {
		case d.Mutant && !d.Valid && len(faults) == 0:
			t.Errorf("%s is passed", d.Name)
		case d.Mutant:
		case bad && (len(faults) == 0 || faults[0].Rule != rule):
			t.Errorf("%s: %+v", name, faults)
		case !bad && len(faults) > 0:
			t.Errorf("%s: %+v", name, faults)
		case !bad:
			if inside, err := Unwrap(doc); err != nil || len(inside) == 0 {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
