package peppol

import (
	"bytes"
	"compress/gzip"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/peppol"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

// hostile is a host that answers with what a test says, and a client that may reach it and nothing else of this machine.
type hostile struct {
	*httptest.Server
	client *outbound.Client
	asked  atomic.Int32
}

func newHostile(t *testing.T, answer http.HandlerFunc) *hostile {
	t.Helper()
	h := &hostile{}
	h.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.asked.Add(1); answer(w, r) }))
	t.Cleanup(h.Close)
	roots := x509.NewCertPool()
	roots.AddCert(h.Certificate())
	h.client = h.trusting(t, roots)
	return h
}

func (h *hostile) trusting(t *testing.T, roots *x509.CertPool) *outbound.Client {
	t.Helper()
	c, err := outbound.New(outbound.Config{Allow: []string{h.Listener.Addr().String()}, RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// squeezed is so many bytes of zeros with gzip, behind a text.
func squeezed(t *testing.T, text string, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, one := z.Write([]byte(text))
	_, two := z.Write(make([]byte, n))
	if err := errors.Join(one, two, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bombs are answers that would cost more than they have bytes.
func bombs(t *testing.T) map[string]http.HandlerFunc {
	t.Helper()
	const laughs = `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]>`
	text := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(s)) }
	}
	zip := squeezed(t, `{"state":"delivered","why":"`, 64<<20)
	return map[string]http.HandlerFunc{
		"gzip bomb": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(zip)
		},
		"deep JSON":   text(strings.Repeat(`{"state":`, 20_000) + "1" + strings.Repeat("}", 20_000)),
		"entity bomb": text(laughs + `<SignedServiceMetadata xmlns="http://busdox.org/serviceMetadata/publishing/1.0/">&c;</SignedServiceMetadata>`),
		"deep XML":    text(strings.Repeat("<a>", 100_000)),
		"oversized":   text(`{"state":"delivered","why":"` + strings.Repeat("x", mostMetadata) + `"}`),
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "https://"+r.Host+"/again")
			w.WriteHeader(http.StatusTemporaryRedirect)
		},
	}
}

// TestBombsFromProvidersAreNoAnswers ensures that answers which inflate, nest, or go on without end are no delivery, and that nobody follows where one sends to.
func TestBombsFromProvidersAreNoAnswers(t *testing.T) {
	for name, answer := range bombs(t) {
		h := newHostile(t, answer)
		provider := interfaceOfTests
		provider.URL, provider.StatusURL = h.URL+"/messages", ""
		o, err := NewProvider(h.client, configured{Provider: provider}, nil).Send(t.Context(), peppol.Attempt{Transmission: peppol.Transmission{MessageID: "m", Attempts: 1}, Document: []byte("<a/>")})
		_, fault := errors.AsType[*kinds.SendFault](err)
		if !fault && o.State != peppol.Failed || h.asked.Load() != 1 {
			t.Errorf("%s: %+v %v, asked %d times", name, o, err, h.asked.Load())
		}
	}
}

// TestBombsFromPublishersAreNoAnswers ensures the same of service metadata publishers.
func TestBombsFromPublishersAreNoAnswers(t *testing.T) {
	who, d := core.Participant{Scheme: "9915", ID: "a"}, core.DocumentType{Scheme: core.DocumentScheme, Value: "a::b##c::2.1"}
	for name, answer := range bombs(t) {
		h := newHostile(t, answer)
		n := networkAt(t, h.client, who, h.URL)
		err := n.Takes(t.Context(), who, d, core.Process{Scheme: core.ProcessScheme, Value: "p"})
		if err == nil || errors.Is(err, core.ErrUnregistered) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := n.LookUp(t.Context(), who); err == nil || errors.Is(err, core.ErrUnregistered) || h.asked.Load() != 2 {
			t.Errorf("%s: %v, asked %d times", name, err, h.asked.Load())
		}
	}
}

// networkAt is a Network that has found the publisher of a participant at an address.
func networkAt(t *testing.T, client Client, who core.Participant, address string) *Network {
	t.Helper()
	n, err := NewNetwork(NetworkConfig{Zone: "zone.test", DNS: "127.0.0.1:1", Roots: x509.NewCertPool()}, client)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.addresses.get(strings.ToLower(who.String()), func() (string, error) { return address, nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestWrongCertificatesOfHosts ensures that nothing is told to a provider or publisher whose certificate leads to none of the authorities.
func TestWrongCertificatesOfHosts(t *testing.T) {
	h := newHostile(t, func(http.ResponseWriter, *http.Request) {})
	client, who := h.trusting(t, x509.NewCertPool()), core.Participant{Scheme: "9915", ID: "a"}
	_, err := NewProvider(client, configured{Provider: core.Provider{URL: h.URL}}, nil).Send(t.Context(), peppol.Attempt{Document: []byte("<a/>")})
	if f, ok := errors.AsType[*outbound.Failure](err); !ok || f.Reason != outbound.ReasonTLS {
		t.Error(err)
	}
	if _, err := networkAt(t, client, who, h.URL).LookUp(t.Context(), who); err == nil {
		t.Error("the publisher was believed")
	}
	if h.asked.Load() > 0 {
		t.Error("it was asked")
	}
}

// TestAddressesInsideAreNotAsked ensures that neither the records of a name server, nor the redirection of a publisher, nor settings lead to this machine or its network.
func TestAddressesInsideAreNotAsked(t *testing.T) {
	h := newHostile(t, func(http.ResponseWriter, *http.Request) {})
	guarded, err := outbound.New(outbound.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer guarded.Close()
	who := core.Participant{Scheme: "9915", ID: "a"}
	for _, address := range []string{h.URL, "http://127.0.0.1", "https://169.254.169.254/latest", "https://[::1]", "https://10.0.0.1", "https://localhost", "https://user:secret@127.0.0.1", "file:///etc/passwd", "gopher://127.0.0.1"} {
		n := networkAt(t, guarded, who, address)
		if _, err := n.LookUp(t.Context(), who); !refusedByGuard(err) {
			t.Errorf("publisher at %s: %v", address, err)
		}
		if _, err := n.metadata(t.Context(), address+"/redirected"); !refusedByGuard(err) {
			t.Errorf("publisher redirected to %s: %v", address, err)
		}
		_, err := NewProvider(guarded, configured{Provider: core.Provider{URL: address}}, nil).Send(t.Context(), peppol.Attempt{Document: []byte("<a/>")})
		if !refusedByGuard(err) {
			t.Errorf("provider at %s: %v", address, err)
		}
	}
	if h.asked.Load() > 0 {
		t.Error("it was asked")
	}
}

// refusedByGuard tells whether the guard has refused an address before anybody was asked.
func refusedByGuard(err error) bool {
	f, ok := errors.AsType[*outbound.Failure](err)
	return ok && f.Reason != outbound.ReasonConnect && f.Reason != outbound.ReasonTimeout
}
