//go:build corpus

package hybrid

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// complaints are the sorts of what qpdf says against a file: its words without names, places and numbers.
func complaints(t *testing.T, file string) (_ []string, status int) {
	t.Helper()
	command := exec.Command("qpdf", "--check", file)
	out, _ := command.CombinedOutput() // the status tells
	var sorts []string
	for line := range strings.Lines(string(out)) {
		bad := strings.HasPrefix(line, "WARNING: ") || strings.HasPrefix(line, "ERROR: ") || strings.HasPrefix(line, "qpdf: ")
		if !bad || strings.Contains(line, "operation succeeded with warnings") {
			continue
		}
		line = strings.ReplaceAll(line, file, "")
		sorts = append(sorts, strings.TrimSpace(regexp.MustCompile(`\([^()]*\)|[0-9]+`).ReplaceAllString(line, "")))
	}
	slices.Sort(sorts)
	return slices.Compact(sorts), command.ProcessState.ExitCode()
}

// TestCorpus_Embed ensures of every file of the corpus that embedding either keeps its bytes in front and gives a file that other programs
// find no worse and from which they take the XML byte for byte, or is refused with a reason.
func TestCorpus_Embed(t *testing.T) {
	for _, program := range []string{"qpdf", "pdfdetach"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatal(err)
		}
	}
	refused, embedded := 0, 0
	for _, set := range []string{"hybrid", "odd"} {
		folder := filepath.Join(corpus.Shared(), "corpus", "pdf", set)
		for name := range pdfVerdicts(t, set) {
			if why := embedInto(t, folder, name); why != nil {
				refused++
				t.Logf("%s: %v", name, why)
			} else {
				embedded++
			}
		}
	}
	if embedded < 377 {
		t.Errorf("%d embedded, %d refused; 377 can be embedded into", embedded, refused)
	}
}

// embedInto embeds the sample into one file; the error is a refusal.
func embedInto(t *testing.T, folder, name string) error {
	t.Helper()
	carrier, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	d, err := Open(context.Background(), carrier)
	if err != nil {
		return err
	}
	added, err := d.Embed(sample)
	damaged := errors.Is(err, pdffile.ErrCrossReferences)
	if damaged {
		added, err = d.EmbedDamaged(sample)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Logf("%s took %v", name, took)
	}
	if err != nil {
		return err
	}
	result := slices.Concat(carrier, added)
	again, err := Open(context.Background(), result)
	if err != nil {
		t.Errorf("%s: the result cannot be read: %v", name, err)
		return nil
	}
	if inside, err := again.Invoice(); err != nil || !bytes.Equal(inside.XML, sample.XML) || again.Pages() != d.Pages() {
		t.Errorf("%s: %v, %+v; %d pages of %d", name, err, inside, again.Pages(), d.Pages())
	}
	compareByPrograms(t, filepath.Join(folder, name), result, damaged)
	return nil
}

// compareByPrograms lets qpdf and poppler look at a result. Of a damaged carrier qpdf may see more than before, as long as it can read it.
func compareByPrograms(t *testing.T, carrier string, result []byte, damaged bool) {
	t.Helper()
	name := filepath.Base(carrier)
	file := filepath.Join(t.TempDir(), "result.pdf")
	if err := os.WriteFile(file, result, 0o600); err != nil {
		t.Fatal(err)
	}
	before, _ := complaints(t, carrier)
	after, status := complaints(t, file)
	const unreadable = 2
	if damaged && status == unreadable {
		t.Errorf("%s: qpdf cannot read the result: %q", name, after)
	}
	for _, c := range after {
		if !damaged && !slices.Contains(before, c) {
			t.Errorf("%s: qpdf says what it did not say before: %s", name, c)
		}
	}
	out := filepath.Join(t.TempDir(), "x.xml")
	said, err := exec.Command("pdfdetach", "-savefile", "factur-x.xml", "-o", out, file).CombinedOutput()
	data, missing := os.ReadFile(out)
	if missing != nil || !bytes.Equal(data, sample.XML) {
		t.Errorf("%s: pdfdetach: %v, %.200s", name, err, said)
	}
}
