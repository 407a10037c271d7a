//go:build chaos

package chaos

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/corpus"
	"github.com/einvoiced/einvoiced/internal/harness"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

const (
	embedPath = "/api/v1/invoice/de/zugferd/embed"
	parsePath = "/api/v1/invoice/parse"

	mostOfFile   = 40 * time.Second // for one file on a machine that is shared: the repair alone may take 20
	mostResident = 512 << 20        // bytes of a process that answers
)

// embedding is the request that embeds the example invoice into a carrier.
func embedding(t *testing.T, carrier []byte) []byte {
	t.Helper()
	var example map[string]any
	text, err := os.ReadFile(filepath.Join(harness.Root(t), "docs", "example.json"))
	if err == nil {
		err = json.Unmarshal(text, &example)
	}
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"invoice": example["invoice"], "pdf": base64.StdEncoding.EncodeToString(carrier)})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// bothDoors sends a file as a carrier and as a document. Whatever it is, the answer is none of a fault of ours, and comes soon.
func bothDoors(t *testing.T, c *harness.Client, name string, file []byte) (embedded int) {
	t.Helper()
	for _, door := range []struct {
		path string
		body []byte
		head []string
	}{{embedPath, embedding(t, file), nil}, {parsePath, file, []string{"Content-Type", "application/pdf"}}} {
		began := time.Now()
		a := c.Must(t, "POST", door.path, door.body, door.head...)
		if took := time.Since(began); a.Status >= 500 || took > mostOfFile {
			t.Errorf("%s at %s: status %d after %s: %.300s", name, door.path, a.Status, took, a.Body)
		}
		if door.path == embedPath {
			embedded = a.Status
		}
	}
	return embedded
}

// stillThere gives what checks that the processes of before are the ones of now, within their memory, and answer.
func stillThere(t *testing.T, h *harness.System) func() {
	t.Helper()
	pids := map[string]int{}
	for _, r := range h.APIs() {
		pids[r.Name] = r.Pid()
	}
	return func() {
		t.Helper()
		for _, r := range h.APIs() {
			if bytes := r.Metric("process_resident_memory_bytes"); r.Pid() != pids[r.Name] || !r.Alive() || bytes > mostResident {
				t.Errorf("%s: process %d was %d, %.0f MiB resident", r.Name, r.Pid(), pids[r.Name], bytes/(1<<20))
			}
		}
		h.Customer().Want(t, 200, "POST", embedPath, embedding(t, pdfmaker.PDF{}.Bytes()))
	}
}

// E5: every file of the corpus of damaged, encrypted and unusual PDF files is sent as a carrier, and as a document.
func TestE5_OddFiles(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		h := open(t, s)
		check, customer := stillThere(t, h), h.Customer()
		files, err := filepath.Glob(filepath.Join(corpus.Shared(), "corpus", "pdf", "*", "*.[pP]df"))
		if err != nil || len(files) < 400 {
			t.Fatalf("%d files: %v", len(files), err)
		}
		statuses := map[int]int{}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			statuses[bothDoors(t, customer, filepath.Base(file), data)]++
		}
		t.Logf("statuses of embed: %v", statuses)
		if statuses[200] == 0 {
			t.Errorf("nothing was embedded: %v", statuses)
		}
		check()
	})
}

// deflated packs data as often as filters name it.
func deflated(data []byte, times int) []byte {
	for range times {
		var packed bytes.Buffer
		w := zlib.NewWriter(&packed)
		_, _ = w.Write(data) // a buffer takes everything
		_ = w.Close()
		data = packed.Bytes()
	}
	return data
}

// hostileFiles are small files that would become large, lead in circles, or are endless lists.
func hostileFiles() map[string][]byte {
	bomb := bytes.Repeat([]byte(" "), 256<<20)
	stream := func(entries string, filters int, data []byte) string {
		names := strings.Repeat("/FlateDecode", filters)
		return fmt.Sprintf("<<%s/Filter[%s]/Length %d>>stream\n%s\nendstream", entries, names, len(data), data)
	}
	file := func(objects ...string) []byte {
		var b bytes.Buffer
		b.WriteString("%PDF-1.7\n")
		for i, o := range objects {
			fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
		}
		b.WriteString("trailer<</Root 1 0 R>>\n%%EOF")
		return b.Bytes()
	}
	catalog, pages := "<</Type/Catalog/Pages 2 0 R/Metadata 4 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>"
	page := "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>"
	return map[string][]byte{
		"metadata that inflates":         file(catalog, pages, page, stream("/Type/Metadata/Subtype/XML", 1, deflated(bomb, 1))),
		"metadata that inflates twice":   file(catalog, pages, page, stream("/Type/Metadata/Subtype/XML", 2, deflated(bomb, 2))),
		"thirty filters":                 file(catalog, pages, page, stream("/Type/Metadata/Subtype/XML", 30, deflated(bomb[:1<<20], 30))),
		"objects in a stream of a bomb":  file(catalog, pages, page, stream("/Type/ObjStm/N 9/First 99", 1, deflated(bomb, 1))),
		"a table in a stream of a bomb":  []byte("%PDF-1.7\n1 0 obj\n" + stream("/Type/XRef/Size 9/W[1 2 1]/Root 1 0 R", 1, deflated(bomb, 1)) + "\nendobj\nstartxref\n9\n%%EOF"),
		"a table before itself":          []byte("%PDF-1.7\nxref\n0 0\ntrailer<</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF"),
		"pages in a circle":              file(catalog, "<</Type/Pages/Count 1/Kids[2 0 R]/Parent 2 0 R>>", page, "<<>>"),
		"names in a circle":              file("<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles 4 0 R>>>>", pages, page, "<</Kids[4 0 R 4 0 R]/Limits[(a)(b)]>>"),
		"a million objects":              append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("1 0 obj[]endobj "), 1<<20)...),
		"arrays in ten thousand arrays":  file(catalog, pages, page, strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)),
		"a reference to itself":          file("1 0 R"),
		"a length that is far away":      file(catalog, pages, page, "<</Type/Metadata/Length 99999999999>>stream\nx\nendstream"),
		"an invoice in a name of NUL":    pdfmaker.PDF{Files: []pdfmaker.File{{Name: "fac\x00tur-x.xml", Data: []byte("<a/>")}}}.Bytes(),
		"an invoice in a name that goes": pdfmaker.PDF{Files: []pdfmaker.File{{Name: "../../factur-x.xml", Data: []byte("<a/>")}}}.Bytes(),
	}
}

// E6, E7: files that would become large, and files that lead in circles, are refused or taken within bounds.
func TestE6_BombsAndCircles(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		h := open(t, s)
		check := stillThere(t, h)
		for name, file := range hostileFiles() {
			bothDoors(t, h.Customer(), name, file)
		}
		check()
	})
}

// E10: processes in which large carriers are embedded are killed again and again. Each request succeeds in the end, once, and no temporary
// file stays behind.
func TestE10_KilledWhileEmbedding(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		h := open(t, s)
		customer := h.Customer()
		carrier := pdfmaker.PDF{After: strings.Repeat("\n", 6<<20)}.Bytes()
		body := embedding(t, carrier)
		ctx, stop := context.WithCancel(t.Context())
		var killer sync.WaitGroup
		kills := 0
		killer.Go(func() {
			for ctx.Err() == nil {
				kills += killChildren(t, h)
				rest(ctx)
			}
		})
		var work sync.WaitGroup
		n := size(20, 200)
		places := make(chan struct{}, 4)
		for i := range n {
			places <- struct{}{}
			work.Go(func() {
				defer func() { <-places }()
				a, _, err := customer.Stubborn(t.Context(), "POST", embedPath, body, "Idempotency-Key", "embed-"+strconv.Itoa(i))
				if err != nil || a.Status != 200 {
					t.Errorf("request %d: status %d, %v: %.300s", i, a.Status, err, a.Body)
				}
			})
		}
		work.Wait()
		stop()
		killer.Wait()
		audit := h.Audit()
		audit.Settled(30 * time.Second)
		if done := audit.Number("SELECT count(*) FROM jobs WHERE queue = 'embed' AND state = 'succeeded'"); done < n || kills < n/4 {
			t.Errorf("%d jobs have succeeded of %d, with %d kills", done, n, kills)
		}
		t.Logf("%d requests, %d kills", n, kills)
	})
}

// killChildren kills what the workers have started to do runs, and gives how many there were.
func killChildren(t *testing.T, h *harness.System) (killed int) {
	t.Helper()
	for _, w := range h.Workers() {
		out, _ := exec.Command("pgrep", "-P", strconv.Itoa(w.Pid())).Output() // exit code 1: there is none
		for _, pid := range strings.Fields(string(out)) {
			if exec.Command("kill", "-9", pid).Run() == nil {
				killed++
			}
		}
	}
	return killed
}
