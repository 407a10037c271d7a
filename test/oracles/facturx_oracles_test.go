//go:build oracles

package oracles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The newest Factur-X (ZUGFeRD) is written as the version before, which core/operation ensures: the goldens of that one pass the newest rules too.
func TestJudge_AcceptsTheGoldensOfTheVersionBeforeByTheNewest(t *testing.T) {
	goldens, err := Goldens(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	newest, judged := strings.NewReplacer("zugferd-2.4-", "zugferd-2.5-", "facturx-1.08-", "facturx-1.09-"), map[string]int{}
	for _, golden := range goldens {
		before := filepath.Base(filepath.Dir(golden))
		folder := newest.Replace(before)
		if folder == before {
			continue
		}
		verdict, err := judge.verdictIn(folder, filepath.Join("../..", golden))
		if err != nil {
			t.Fatal(err)
		}
		if !verdict.Valid {
			t.Errorf("%s as %s: %+v", golden, folder, verdict.Findings)
		}
		judged[folder]++
	}
	if judged["zugferd-2.5-basic"] < 40 || judged["zugferd-2.5-en16931"] < 40 || judged["zugferd-2.5-extended"] < 40 {
		t.Errorf("too few goldens judged: %v", judged)
	}
	t.Logf("goldens judged: %v", judged)
}

// Schema and rules of each profile of the newest version refuse goldens that are broken, by ids that this version has.
func TestJudge_RefusesByTheNewestFacturX(t *testing.T) {
	for _, test := range []struct{ golden, old, new, fatal string }{
		{"facturx-1.09-basic/french", "<ram:ID>FA-2026-0412</ram:ID>", "<ram:ID></ram:ID>", "BR-02"},
		{"facturx-1.09-basic/french", "<ram:TypeCode>380</ram:TypeCode>", "", "XSD"},
		{"zugferd-2.5-en16931/goods", "<ram:TypeCode>380</ram:TypeCode>", "<ram:TypeCode>999</ram:TypeCode>", "FX-SCH-A-000555"},
		{"zugferd-2.5-en16931/goods", "<ram:TypeCode>380</ram:TypeCode>", "", "XSD"},
		{"zugferd-2.5-extended/extension", "<ram:DuePayableAmount>447.50<", "<ram:DuePayableAmount>297.50<", "BR-FXEXT-CO-16"}, // without what third parties are paid for
		{"zugferd-2.5-extended/extension", "<ram:Reason>Mietkaution", "<ram:Cause/><ram:Reason>Mietkaution", "XSD"},
	} {
		data, err := os.ReadFile("../../testdata/cii/" + test.golden + ".xml")
		if err != nil {
			t.Fatal(err)
		}
		broken := filepath.Join(t.TempDir(), "broken.xml")
		if err := os.WriteFile(broken, []byte(strings.Replace(string(data), test.old, test.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		verdict, err := judge.verdictIn(filepath.Dir(test.golden), broken)
		if err != nil {
			t.Fatal(err)
		}
		if verdict.Fatal[test.fatal] == 0 {
			t.Errorf("%s with %q for %q: no %s in %+v", test.golden, test.new, test.old, test.fatal, verdict.Findings)
		}
	}
}
