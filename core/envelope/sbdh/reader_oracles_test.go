//go:build corpus && oracles

package sbdh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/peppol"
	"github.com/einvoiced/einvoiced/internal/corpus"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// withReader runs a test with the reader of peppol-commons.
func withReader(t *testing.T, test func(others *oracles.Network)) {
	t.Helper()
	others, err := oracles.StartNetwork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := others.Close(); err != nil {
			t.Error(err)
		}
	}()
	test(others)
}

// TestOfficialReaderTakesOurEnvelopes ensures that the reader of peppol-commons accepts our envelope around each document of the corpus that the network carries, and
// reads from it what we have written.
func TestOfficialReaderTakesOurEnvelopes(t *testing.T) {
	withReader(t, func(others *oracles.Network) {
		n := 0
		for _, d := range slices.Concat(corpus.UBL(t), corpus.CII(t)) {
			data, err := os.ReadFile(d.Path)
			if err != nil {
				t.Fatal(err)
			}
			if !d.Valid {
				continue
			}
			if read, err := readByOthers(t, others, data); err != nil {
				t.Errorf("%s: %v", d.Name, err)
			} else if read {
				n++
			}
		}
		t.Logf("peppol-commons has read %d envelopes", n)
		if n < 1000 {
			t.Errorf("%d envelopes only", n)
		}
	})
}

// readByOthers puts a document into our envelope and compares what is read from that; read is false for a document that the network does not carry.
func readByOthers(t *testing.T, others *oracles.Network, document []byte) (read bool, err error) {
	t.Helper()
	doc, err := xmltree.Parse(document, xmltree.Options{})
	if err != nil {
		return false, err
	}
	defer doc.Release()
	h, ok := headerOf(doc)
	if !ok {
		return false, nil
	}
	envelope, err := Wrap(h, document)
	if err != nil {
		return false, err
	}
	file := filepath.Join(t.TempDir(), "envelope.xml")
	if err := os.WriteFile(file, envelope, 0o600); err != nil {
		return false, err
	}
	want := []string{h.Sender.URI(), h.Receiver.URI(), h.DocumentType.URI(), h.Process.URI(), h.Country, h.Instance, h.DocumentType.Standard(), h.DocumentType.Version(),
		h.DocumentType.Local(), doc.Local(doc.Root())}
	got, err := others.Envelope(file)
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("%q is read, want %q", got, want)
	}
	return true, err
}

// headerOf is a header for a document; ok is false for one that the network does not carry.
func headerOf(doc *xmltree.Document) (h Header, ok bool) {
	k, err := peppol.KindOf(doc)
	if err != nil {
		return h, false
	}
	h = Header{Sender: k.Sender, Receiver: k.Receiver, DocumentType: k.DocumentType, Process: k.Process, Country: k.Country, Instance: "3739db04-7e4e-4c89-b170-c543dd252249",
		Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	for _, p := range []*peppol.Participant{&h.Sender, &h.Receiver} {
		if p.ID == "" {
			*p = peppol.Participant{Scheme: "9915", ID: "test"}
		}
	}
	if h.Country == "" {
		h.Country = "DE"
	}
	return h, true
}

// laxer are the bad envelopes that peppol-commons accepts, and what is made of them: its reader looks at no value of MLS_TO.
var laxer = regexp.MustCompile(`bad-mls-to-(invalid-value|no-scheme)\.xml$`)

// TestOfficialReaderAgreesOnTheCorpus ensures that the reader of peppol-commons refuses each envelope of the corpus that we refuse, and no other, but for
// those of laxer.
func TestOfficialReaderAgreesOnTheCorpus(t *testing.T) {
	withReader(t, func(others *oracles.Network) {
		all := corpus.Nationals(t, "sbdh")
		for _, d := range all {
			data, err := os.ReadFile(d.Path)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := xmltree.Parse(data, xmltree.Options{})
			ours := err == nil && len(Check(doc)) == 0
			_, err = others.Envelope(d.Path)
			if _, refused := errors.AsType[*oracles.NetworkRefusal](err); err != nil && !refused {
				t.Fatal(err)
			}
			if theirs := err == nil; ours != theirs && !(theirs && laxer.MatchString(d.Name)) {
				t.Errorf("%s: we take it %t, peppol-commons says %v", d.Name, ours, err)
			}
		}
		if len(all) < 48 {
			t.Errorf("%d envelopes only", len(all))
		}
	})
}
