package command

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/docs"
)

const (
	ublInvoice  = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
	xrechnung30 = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
)

// putBook writes a rulebook with what its manifest says beside id, version and files. Entry files are r.sch and, where it is
// given, s.xsd.
func putBook(t testing.TB, dir, id, version, more string, files map[string]string) {
	t.Helper()
	manifest := fmt.Sprintf("manifest: 1\nid: %s\nversion: %q\nsyntax: ubl\nschematron: [{file: r.sch}]\n%s", id, version, more)
	if files["s.xsd"] != "" {
		manifest += "xsd: [{file: s.xsd}]\n"
	}
	manifest += "files:\n"
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum := sha256.Sum256([]byte(files[name]))
		manifest += "  " + name + ": " + hex.EncodeToString(sum[:]) + "\n"
	}
	files = maps.Clone(files)
	files["manifest.yaml"] = manifest
	folder := filepath.Join(dir, id)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// invoiceRules is a rule set with one rule about any invoice.
func invoiceRules(assertion string) map[string]string {
	return map[string]string{"r.sch": `<schema xmlns="http://purl.oclc.org/dsdl/schematron" queryBinding="xslt2"><ns prefix="u" uri="` + ublInvoice +
		`"/><pattern><rule context="/u:Invoice">` + assertion + `</rule></pattern></schema>`}
}

// binding binds a rulebook to invoices with a specification.
func binding(specification, after string) string {
	return fmt.Sprintf("bindings: [{name: Test, root: '{%s}Invoice', specification: '%s', after: [%s]}]\n", ublInvoice, specification, after)
}

// putVersion gives a folder the version n of two rulebooks that judge an XRechnung together; each warns with its version.
func putVersion(t testing.TB, dir string, n int) {
	t.Helper()
	version := fmt.Sprint(1000 + n)
	for id, more := range map[string]string{"test-base": "", "test-xr": binding(xrechnung30, "test-base")} {
		putBook(t, dir, id, version, more, invoiceRules(`<report id="`+strings.ToUpper(id)+`" flag="warning" test="true()">version `+version+`</report>`))
	}
}

// judgedBy gives the version of the rulebooks of putVersion that an answer names and whose warnings it has, and fails when they are
// of several.
func judgedBy(t testing.TB, body []byte) string {
	t.Helper()
	var answer struct {
		Rulebooks []operation.Rulebook
		Warnings  []struct{ Message string }
	}
	unmarshal(t, body, &answer)
	if len(answer.Rulebooks) != 2 {
		t.Fatalf("rulebooks %+v: %s", answer.Rulebooks, body)
	}
	version := answer.Rulebooks[0].Version
	warned := 0
	for _, w := range answer.Warnings {
		if strings.Contains(w.Message, "version "+version) {
			warned++
		}
	}
	if answer.Rulebooks[1].Version != version || warned != 2 {
		t.Errorf("judged by several generations: %s", body)
	}
	return version
}

// TestServe_JudgesByOneGeneration ensures that under load no request fails while rulebooks are swapped, that each answer comes from one
// generation, and that the row of a job names the one that judged it.
func TestServe_JudgesByOneGeneration(t *testing.T) {
	books, data := t.TempDir(), t.TempDir()
	putVersion(t, books, 1)
	s := start(t, data, "--rulebooks", books)
	key, url := s.firstKey(t), s.url+"/api/v1/invoice/de/xrechnung/"
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for operation, prefer := range map[string]string{"generate": "wait=0", "validate": "wait=0", "generate?calculate=true": "respond-async, wait=60"} {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				status, _, body := get(t, http.MethodPost, url+operation, key, string(docs.Example()), "Prefer", prefer)
				if status != 200 {
					t.Errorf("%s: status %d: %s", operation, status, body)
					return
				}
				judgedBy(t, body)
			}
		})
	}
	for n := 2; n < 10; n++ {
		putVersion(t, books, n)
		if stdout, stderr, code := s.reload(t); code != exitOK {
			t.Errorf("exit code %d: %s%s", code, stdout, stderr)
		}
		if _, _, body := get(t, http.MethodPost, url+"validate", key, string(docs.Example())); judgedBy(t, body) != fmt.Sprint(1000+n) {
			t.Errorf("after reload %d: %s", n, body)
		}
	}
	close(stop)
	callers.Wait()
	s.checkJobRows(t, data, key)
}

// checkJobRows compares the generation in each job's row with the version that its answer names.
func (s *service) checkJobRows(t testing.TB, data, key string) {
	t.Helper()
	database, err := (&dataFlag{Data: data}).open(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer database.Close()
	var rows []struct {
		ID     string
		Number int64
		Digest string
		Known  string
	}
	if err := database.Select(t.Context(), &rows, `SELECT id, rulebooks_number AS number, rulebooks_digest AS digest, g.digest AS known
		FROM jobs LEFT JOIN rulebook_generations g ON g.number = rulebooks_number`); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		var job jobAnswer
		_, _, body := get(t, "GET", s.url+"/api/v1/jobs/"+row.ID, key, "")
		unmarshal(t, body, &job)
		if version := judgedBy(t, job.Result); version != fmt.Sprint(1000+row.Number) || row.Digest != row.Known {
			t.Errorf("%+v was judged by version %s", row, version)
		}
	}
	if len(rows) == 0 {
		t.Error("there was no job")
	}
}

// TestServe_TellsWhyNothingJudged ensures each reason of the contract, in the entry that says so.
func TestServe_TellsWhyNothingJudged(t *testing.T) {
	books := t.TempDir()
	rules := invoiceRules(`<assert id="T-1" flag="fatal" test="true()">never</assert>`)
	broken := maps.Clone(rules)
	broken["s.xsd"] = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="gone"/></xs:schema>`
	putBook(t, books, "test-gone", "1", "valid: {to: 2020-01-01}\n", rules)
	putBook(t, books, "test-missing", "1", binding("urn:test:missing", "test-gone"), rules)
	putBook(t, books, "test-broken", "1", binding("urn:test:broken", ""), broken)
	putBook(t, books, "test-failing", "1", binding("urn:test:failing", ""), invoiceRules(`<assert id="T-2" flag="fatal" test="xs:decimal(string(.)) = 1">never</assert>`))
	s := start(t, t.TempDir(), "--rulebooks", books)
	key := s.firstKey(t)
	for specification, want := range map[string]string{
		"urn:test:missing": "missing: bind Test: rulebook test-gone: is not in force",
		"urn:test:broken":  "load-failed: rulebook test-broken",
		"urn:test:failing": "transform-failed: rule T-2 of rulebook test-failing@1: ",
		"urn:test:nobody":  "not-bound: no rulebook is for documents",
	} {
		document := `<Invoice xmlns="` + ublInvoice + `" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cbc:CustomizationID>` +
			specification + `</cbc:CustomizationID></Invoice>`
		status, _, body := get(t, http.MethodPost, s.url+"/api/v1/invoice/de/validate", key, document, "Content-Type", "application/xml")
		var answer operation.ValidateAnswer
		unmarshal(t, body, &answer)
		if status != 200 || answer.Valid || len(answer.Errors) != 1 || answer.Errors[0].Code != "VALIDATION_NOT_RUN" || !strings.Contains(answer.Errors[0].Message, want) {
			t.Errorf("%s: status %d: %s", specification, status, body)
		}
	}
}
