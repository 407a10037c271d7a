//go:build oracles

package verifactu

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/einvoiced/einvoiced/test/oracles"
)

const oracleFolder = "../../test/oracles/verifactu"

// othersSay is what test/oracles/verifactu/check.py says of a document.
type othersSay struct{ Lint, Hashes, Schema []string }

func askOthers(t *testing.T, document []byte) (said othersSay) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "records.xml")
	if err := os.WriteFile(file, document, 0o600); err != nil {
		t.Fatal(err)
	}
	packages, err := oracles.PythonPackages(t.Context(), oracleFolder)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "python3", filepath.Join(oracleFolder, "check.py"), file)
	c.Env, c.Stderr = append(os.Environ(), "PYTHONPATH="+packages), os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return said
}

// TestOfficial_Chain ensures that others take a chain of every golden, and of a cancellation behind them, as it is: the official schema, verifactu-lint, and the hashes
// of verifactu-sdk. A changed record is found by all of us.
func TestOfficial_Chain(t *testing.T) {
	files, err := filepath.Glob("../../testdata/verifactu/*.json")
	if err != nil || len(files) < 9 {
		t.Fatal(len(files), err)
	}
	installed := loaded(t)
	batch := &Batch{Issuer: Party{Name: "Ejemplo Oficinas SL", NIF: "B12345674"}}
	var previous *Previous
	add := func(r *Record) {
		r.Seal(installed.System(), previous, "2026-06-30T10:00:00+02:00")
		previous = &Previous{r.Invoice, r.Hash}
		batch.Records = append(batch.Records, r)
	}
	for _, file := range files {
		record, wrong := FromInvoice(invoiceOf(t, file))
		if len(wrong) > 0 {
			t.Fatal(file, wrong)
		}
		add(record)
	}
	add(Cancellation(batch.Records[0].Invoice))
	document, err := batch.XML()
	if err != nil {
		t.Fatal(err)
	}
	said := askOthers(t, document)
	if len(said.Lint)+len(said.Schema) > 0 || len(said.Hashes) != len(batch.Records) {
		t.Errorf("%+v", said)
	}
	for i, hash := range said.Hashes {
		if r := batch.Records[i]; r.Hash != hash {
			t.Errorf("%s: %s, verifactu-sdk computes %s", r.Invoice.Number, r.Hash, hash)
		}
	}
	batch.Records[1].Total = "844.95"
	if document, err = batch.XML(); err != nil {
		t.Fatal(err)
	}
	if said := askOthers(t, document); len(said.Lint) == 0 || said.Hashes[1] == batch.Records[1].Hash {
		t.Errorf("a changed record is not found: %+v", said)
	}
}
