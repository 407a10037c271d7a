//go:build oracles

package oracles

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/verified.json anew")

// judge is the one Java process of all tests here.
var judge *Judge

func TestMain(m *testing.M) {
	flag.Parse()
	var err error
	if judge, err = StartJudge(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := judge.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// Every golden passes the official schemas and rules, or breaks exactly the rules that it is declared to break.
func TestJudge_AcceptsTheGoldens(t *testing.T) {
	verified, err := judge.JudgeAll("../..")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := verified.Write("../.."); err != nil {
			t.Fatal(err)
		}
	}
	faults, err := Faults(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
	t.Logf("%d goldens judged", len(verified))
}

func TestJudge_SaysWhatItCannotJudge(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken.xml")
	text := `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"><CustomizationID>x</CustomizationID><`
	if err := os.WriteFile(broken, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if v, err := judge.Verdict(broken); err == nil && v.Valid {
		t.Errorf("ill-formed XML is valid: %+v", v)
	}
	if _, err := judge.Verdict(broken + ".gone"); err == nil {
		t.Error("a missing file has a verdict")
	}
	// The process still answers after that.
	good, err := judge.Verdict("proof/good.xml")
	if err != nil || !good.Valid {
		t.Errorf("good document: %+v, %v", good, err)
	}
}
