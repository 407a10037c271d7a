package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recordsOf are the records of testdata, which are a chain in the order of their names.
func recordsOf(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../testdata/verifactu/*.xml")
	if err != nil || len(files) < 9 {
		t.Fatal(len(files), err)
	}
	return files
}

// TestVerifactuVerify ensures what is said of a chain that holds, of a part of one, and of those that are broken, and the exit codes.
func TestVerifactuVerify(t *testing.T) {
	files := recordsOf(t)
	text, err := os.ReadFile(files[2])
	if err != nil {
		t.Fatal(err)
	}
	changed := writeFile(t, "changed.xml", strings.Replace(string(text), "<sf:ImporteTotal>20.00<", "<sf:ImporteTotal>20.01<", 1))
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"whole":          {files, exitOK, fmt.Sprintf("the chain holds: %d records, %[1]d invoices, 0 cancellations, tax ", len(files))},
		"a part":         {append([]string{"--part"}, files[3:]...), exitOK, fmt.Sprintf("the chain holds: %d records", len(files)-3)},
		"a part unsaid":  {files[3:], exitInvalid, "the chain is broken at record 1 (invoice VF-04): it is the first and names a record before it"},
		"one left out":   {slices.Delete(slices.Clone(files), 4, 5), exitInvalid, "the chain is broken at record 5 (invoice VF-06)"},
		"another order":  {[]string{files[1], files[0]}, exitInvalid, "the chain is broken at record 1"},
		"changed":        {[]string{files[0], files[1], changed}, exitInvalid, "the chain is broken at record 3 (invoice VF-03): its hash is"},
		"JSON":           {append([]string{"--json"}, files...), exitOK, fmt.Sprintf(`"valid":true,"records":%d,`, len(files))},
		"JSON of broken": {[]string{"--json", files[1], files[0]}, exitInvalid, `"valid":false,"records":2`},
		"no records":     {[]string{"../docs/example.json"}, exitInvalid, "XML line 1"},
		"another format": {[]string{"../testdata/ksef/01-invoice.xml"}, exitInvalid, "has no VERI*FACTU records"},
		"no file":        {[]string{"nothing.xml"}, exitUsage, "nothing.xml"},
	} {
		stdout, stderr, code := run(t, "", append([]string{"verifactu", "verify"}, c.args...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: exit code %d\n%s%s", name, code, stdout, stderr)
		}
	}
}

// TestVerifactu_CommandLineKeepsNoChain ensures that an invoice which asks for a record is refused without a server.
func TestVerifactu_CommandLineKeepsNoChain(t *testing.T) {
	for _, format := range []string{"ubl", "pdf"} {
		_, stderr, code := run(t, "", "generate", "es", format, "../testdata/verifactu/01-f1.json")
		if code != exitInvalid || !strings.Contains(stderr, "VeriFactu is not configured") {
			t.Errorf("%s: exit code %d\n%s", format, code, stderr)
		}
	}
}

// TestVerifactu_FileIsRead ensures that a file with faults ends the start, and names them.
func TestVerifactu_FileIsRead(t *testing.T) {
	wrong := writeFile(t, "verifactu.yaml", "producer: {name: Alfa}\n")
	for file, want := range map[string]string{wrong: "producer.nif is missing", filepath.Join(t.TempDir(), "none.yaml"): "no such file"} {
		_, stderr, code := run(t, "", "serve", "--data", t.TempDir(), "--listen", "127.0.0.1:0", "--admin-listen", "off", "--verifactu", file)
		if code != exitUsage || !strings.Contains(stderr, want) || !strings.Contains(stderr, "docs/verifactu.md") {
			t.Errorf("%s: exit code %d\n%s", want, code, stderr)
		}
	}
}
