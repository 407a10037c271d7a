package api

import (
	"bytes"
	"os"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
)

// TestGenerate_HybridsReal generates a ZUGFeRD over HTTP: as JSON, by a job, and, where there are no warnings, as the PDF itself.
func TestGenerate_HybridsReal(t *testing.T) {
	f := newJudging(t, Config{})
	body := string(must(os.ReadFile("../testdata/countries/de.json"))(t))
	const path = "/api/v1/invoice/de/zugferd/generate"
	there := f.ask(t, "full", "POST", path, body)
	checkContract(t, "POST", path, there)
	var answer struct {
		Data        []byte
		EmbeddedXML string `json:"embeddedXml"`
		Warnings    []finding.Finding
	}
	unmarshal(t, there.body, &answer)
	inside, err := operation.Extract(t.Context(), answer.Data)
	if there.status != 200 || err != nil || answer.EmbeddedXML == "" || string(inside.XML) != answer.EmbeddedXML {
		t.Fatalf("%d %v %.200s", there.status, err, there.body)
	}
	if job := f.ask(t, "full", "POST", path, body, "Prefer", "respond-async, wait=60"); !bytes.Equal(job.body, there.body) {
		t.Errorf("the job: %.200s", job.body)
	}
	want := answer.Data
	if len(answer.Warnings) > 0 { // which only JSON can tell
		want = there.body
	}
	if bare := f.ask(t, "full", "POST", path, body, "Accept", "application/pdf"); bare.status != 200 || !bytes.Equal(bare.body, want) {
		t.Errorf("the PDF itself: %d %.200s", bare.status, bare.body)
	}
}
