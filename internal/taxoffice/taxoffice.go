// Package taxoffice is a double of the tax office's service VerifactuSOAP for tests: an HTTPS server on the loopback that asks for a client's certificate,
// judges what comes by schema and chain, remembers what it has registered, and answers as it is told.
package taxoffice

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xsd"
	"github.com/einvoiced/einvoiced/core/verifactu"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// Behaviour is how a submission is answered.
type Behaviour int

// The behaviours. What an Office is not told to answer otherwise it answers correctly.
const (
	Correct   Behaviour = iota
	Partly              // of every three records the second is accepted with an error, and the third is refused
	Rejected            // all are refused
	Fault               // a SOAP fault with status 500: nothing is registered
	Slow                // no answer until the client has gone
	Broken              // status 500 with a page
	Garbage             // status 200 with XML that breaks off
	Oversized           // an answer without end
	Other               // an answer about another invoice
	Lost                // registered, and the connection ends before the answer
)

// Office is the double.
type Office struct {
	URL         string // of the service
	Place       string // host:port
	Authorities string // file with the authority of its certificate
	Certificate string // file with a certificate that it accepts
	Key         string // file with the key of that
	Stranger    string // file with a certificate of another authority
	StrangerKey string // file with the key of that
	Wait        int    // TiempoEsperaEnvio of its answers

	server *httptest.Server
	schema *xsd.Schema

	mu         sync.Mutex
	next       []Behaviour
	batches    []*verifactu.Batch
	registered map[string]string // operation, NIF, number and date, to the hash
	chains     map[string]*verifactu.Chain
	complaints []string
}

// Start starts an Office that ends with the test.
func Start(t testing.TB) *Office {
	t.Helper()
	schema, err := xsd.Compile(rulebooks.Books(), xsd.Options{}, "verifactu-1.0/shared/schema/verifactu-1.0/lr.xsd")
	if err != nil {
		t.Fatal(err)
	}
	o := &Office{Wait: 60, schema: schema, registered: map[string]string{}, chains: map[string]*verifactu.Chain{}}
	root, strange, folder := newAuthority(t), newAuthority(t), t.TempDir()
	o.server = httptest.NewUnstartedServer(http.HandlerFunc(o.serve))
	o.server.Config.ErrorLog = discard()
	o.server.TLS = &tls.Config{Certificates: []tls.Certificate{root.issue(t, "tax office")}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: root.pool(), MinVersion: tls.VersionTLS12}
	o.server.StartTLS()
	t.Cleanup(o.server.Close)
	o.Place = o.server.Listener.Addr().String()
	o.URL = o.server.URL + "/wlpl/TIKE-CONT/ws/SistemaFacturacion/VerifactuSOAP"
	o.Authorities = writePEM(t, folder, "authorities.pem", &pem.Block{Type: "CERTIFICATE", Bytes: root.certificate.Raw})
	o.Certificate, o.Key = writeCertificate(t, folder, "client", root.issue(t, "producer"))
	o.Stranger, o.StrangerKey = writeCertificate(t, folder, "stranger", strange.issue(t, "stranger"))
	return o
}

// Next says how the next submissions are answered, one after another.
func (o *Office) Next(behaviours ...Behaviour) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.next = append(o.next, behaviours...)
}

// Batches are those that came, in their order, also when they got no answer.
func (o *Office) Batches() []*verifactu.Batch {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.batches)
}

// Registered is how many records are registered.
func (o *Office) Registered() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.registered)
}

// Complaints are what the office has found fault with: schema, headers, links of chains, an order that is not that of the chain.
func (o *Office) Complaints() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.complaints)
}

const mostRequest = 64 << 20

func (o *Office) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, mostRequest))
	if err != nil {
		return // the client has gone
	}
	answer, behaviour := o.take(r, body)
	switch behaviour {
	case Slow:
		<-r.Context().Done()
	case Lost:
		panic(http.ErrAbortHandler)
	case Broken:
		http.Error(w, "<html>out of order</html>", http.StatusInternalServerError)
	case Oversized:
		w.Header().Set("Content-Type", "text/xml")
		for line := strings.Repeat("<a/>", 1<<14); ; {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
		}
	case Fault:
		w.Header().Set("Content-Type", "text/xml")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, envelope("<env:Fault><faultcode>env:Client</faultcode><faultstring>Codigo[4112].The certificate may not submit for the issuer</faultstring></env:Fault>"))
	default:
		w.Header().Set("Content-Type", "text/xml; charset=UTF-8")
		fmt.Fprint(w, answer)
	}
}

// take judges and registers a submission.
func (o *Office) take(r *http.Request, body []byte) (answer string, b Behaviour) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.next) > 0 {
		b, o.next = o.next[0], o.next[1:]
	}
	batch := o.judge(r, body)
	if batch == nil {
		return "", Fault
	}
	o.batches = append(o.batches, batch)
	if b == Fault || b == Slow || b == Broken || b == Oversized {
		return "", b
	}
	text := o.answer(batch, b)
	switch b {
	case Garbage:
		return text[:len(text)/2], b
	case Other:
		return strings.ReplaceAll(text, "<sf:NumSerieFactura>", "<sf:NumSerieFactura>X"), b
	}
	return text, b
}

// judge checks a submission: headers, envelope, schema, and that its records follow those that came before.
func (o *Office) judge(r *http.Request, body []byte) *verifactu.Batch {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/xml") || r.Header.Get("SOAPAction") != `""` {
		o.complain("headers: %s %v", r.Method, r.Header)
	}
	if len(r.TLS.PeerCertificates) == 0 || r.TLS.PeerCertificates[0].Subject.CommonName != "producer" {
		o.complain("the certificate is not that of the producer")
	}
	inner := body
	if from, to := strings.Index(string(body), "<lr:RegFactu"), strings.LastIndex(string(body), "</soapenv:Body>"); from > 0 && to > from {
		inner = body[from:to]
	} else {
		o.complain("it is no envelope: %.200s", body)
	}
	doc, err := xmltree.Parse(inner, xmltree.Options{})
	if err != nil {
		o.complain("%v", err)
		return nil
	}
	violations, err := o.schema.Validate(r.Context(), doc)
	for _, v := range violations {
		o.complain("schema: %+v", v)
	}
	batch, readErr := verifactu.Read(body)
	if err != nil || readErr != nil || len(violations) > 0 {
		o.complain("%v %v", err, readErr)
		return nil
	}
	if len(batch.Records) > verifactu.MostRecords || batch.Issuer.Name == "" {
		o.complain("%d records of %q", len(batch.Records), batch.Issuer.Name)
	}
	o.follow(batch)
	return batch
}

// follow checks the links of records that have not come before.
func (o *Office) follow(batch *verifactu.Batch) {
	chain := o.chains[batch.Issuer.NIF]
	if chain == nil {
		chain = &verifactu.Chain{}
		o.chains[batch.Issuer.NIF] = chain
	}
	seen := o.seen(batch.Issuer.NIF)
	for _, record := range batch.Records {
		if record.Invoice.Issuer != batch.Issuer.NIF {
			o.complain("a record of %s in a batch of %s", record.Invoice.Issuer, batch.Issuer.NIF)
		}
		if !seen[record.Hash] {
			chain.Add(record.Link())
		}
	}
	for _, b := range chain.Broken {
		o.complain("%+v", b)
	}
}

// seen are the hashes of an issuer's records that came in submissions before.
func (o *Office) seen(nif string) map[string]bool {
	seen := map[string]bool{}
	for _, b := range o.batches {
		for _, r := range b.Records {
			if b.Issuer.NIF == nif {
				seen[r.Hash] = true
			}
		}
	}
	return seen
}

func (o *Office) complain(format string, args ...any) {
	o.complaints = append(o.complaints, fmt.Sprintf(format, args...))
}
