// Package verifactu sends records of Spanish invoices to the tax office (AEAT), by its SOAP service VerifactuSOAP. What it asks is asked through the guarded
// client of package outbound, with the operator's certificate.
package verifactu

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"sync"
	"time"

	core "github.com/einvoiced/einvoiced/core/verifactu"

	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

// Timeout is the time that the client should grant the office for a batch of a thousand records.
const Timeout = 90 * time.Second

// mostAnswer is the most bytes of an answer that are read: a thousand lines with the longest messages take less.
const mostAnswer = 8 << 20

// Client posts documents; *outbound.Client does.
type Client interface {
	Post(ctx context.Context, url string, header http.Header, body []byte, keep int64) (outbound.Response, error)
}

var _ Client = (*outbound.Client)(nil)

// Office is the tax office. It is a kinds.TaxOffice, safe for concurrent use.
type Office struct {
	client Client
	at     core.TaxOffice
	log    *slog.Logger

	mu     sync.Mutex
	counts map[string]int64
}

var _ kinds.TaxOffice = (*Office)(nil)

// New prepares an Office. Without a logger it is slog.Default().
func New(client Client, at core.TaxOffice, log *slog.Logger) *Office {
	if log == nil {
		log = slog.Default()
	}
	return &Office{client: client, at: at, log: log, counts: map[string]int64{}}
}

// Counts counts the records that this process has sent by what became of them, and those of submissions without an answer as failed.
func (o *Office) Counts() map[string]int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.counts)
}

// Submit implements kinds.TaxOffice.
func (o *Office) Submit(ctx context.Context, b *core.Batch) (*core.Reply, []core.Outcome, error) {
	start := time.Now()
	reply, outcomes, err := o.submit(ctx, b)
	attrs := []any{"records", len(b.Records), "delayed", b.Delayed, "took", time.Since(start).Round(time.Millisecond)}
	if err != nil {
		o.count("failed", len(b.Records))
		o.log.Warn("verifactu submission", append(attrs, reasons(err)...)...)
		return nil, nil, err
	}
	for _, outcome := range outcomes {
		o.count(outcome.State, 1)
	}
	o.log.Info("verifactu submission", append(attrs, "state", reply.State, "csv", reply.CSV, "wait", reply.Wait)...)
	return reply, outcomes, nil
}

// reasons are why a submission got no answer, for the log, which has nothing of invoices: the office's own words may name issuers, and its code does not.
func reasons(err error) []any {
	if fault, ok := errors.AsType[*core.Fault](err); ok {
		return []any{"refused", fault.Code}
	}
	if failure, ok := errors.AsType[*outbound.Failure](err); ok {
		return []any{"failure", failure}
	}
	if fault, ok := errors.AsType[*kinds.SendFault](err); ok {
		return []any{"error", fault.Message}
	}
	return []any{"error", err}
}

func (o *Office) count(outcome string, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.counts[outcome] += int64(n)
}

// header is that of SOAP 1.1 with the empty SOAPAction of the WSDL.
func header() http.Header {
	return http.Header{"Content-Type": {"text/xml; charset=utf-8"}, "Soapaction": {`""`}, "Accept": {"text/xml"}}
}

func (o *Office) submit(ctx context.Context, b *core.Batch) (*core.Reply, []core.Outcome, error) {
	envelope, err := b.Envelope()
	if err != nil {
		return nil, nil, err
	}
	answer, err := o.client.Post(ctx, o.at.Address(), header(), envelope, mostAnswer)
	if err != nil {
		return nil, nil, &kinds.SendFault{Message: "the tax office could not be reached: " + err.Error(), Cause: err}
	}
	if answer.Cut {
		return nil, nil, &kinds.SendFault{Message: fmt.Sprintf("the answer of the tax office has more than %d bytes", mostAnswer)}
	}
	return replyOf(answer, b)
}

// replyOf reads an answer. A fault comes with status 500 (SOAP 1.1, 6.2), and is looked for in any.
func replyOf(answer outbound.Response, b *core.Batch) (*core.Reply, []core.Outcome, error) {
	reply, err := core.ReadReply(answer.Body)
	if fault, ok := errors.AsType[*core.Fault](err); ok {
		return nil, nil, &kinds.SendFault{Message: fault.Error(), Cause: err}
	}
	if answer.Status != http.StatusOK {
		return nil, nil, &kinds.SendFault{Message: fmt.Sprintf("the tax office has answered %d", answer.Status), Cause: err}
	}
	if err != nil {
		return nil, nil, &kinds.SendFault{Message: "the tax office has answered with what cannot be read", Cause: err}
	}
	outcomes, err := reply.Outcomes(b)
	if err != nil {
		return nil, nil, &kinds.SendFault{Message: "the tax office has answered with what is not about these records", Cause: err}
	}
	return reply, outcomes, nil
}
