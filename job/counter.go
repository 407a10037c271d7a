package job

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// ValidationFailed is the event of a validation that found a document not valid (contract, Events).
const ValidationFailed = "invoice.validation_failed"

// Counter counts the documents that operations were asked for. No label holds an id or anything of an invoice.
type Counter struct{ documents *prometheus.CounterVec }

// NewCounter registers the metric with r. It panics when r has it already, which is a mistake in this program.
func NewCounter(r prometheus.Registerer) *Counter {
	c := &Counter{prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "einvoiced_documents_total", Help: "Documents that operations were asked for, inline or in a job.",
	}, []string{"operation", "country", "format", "outcome"})}
	r.MustRegister(c.documents)
	return c
}

// Count counts one order, by its kind (see Order.Kind) and the status of its answer: ok, invalid (a validation found it not
// valid, as the events tell), refused (the input's fault) or failed (ours).
// The format is counted by name only where the operation knew it, because a path may hold anything.
func (c *Counter) Count(kind string, status int, events []ledger.Event) {
	operation, country, format := SplitKind(kind)
	outcome := "ok"
	switch {
	case slices.ContainsFunc(events, func(e ledger.Event) bool { return e.Type == ValidationFailed }):
		outcome = "invalid"
	case status >= http.StatusInternalServerError:
		outcome, format = "failed", "other"
	case status == http.StatusUnprocessableEntity:
		outcome = "refused"
	case status >= http.StatusBadRequest:
		outcome, format = "refused", "other"
	}
	c.documents.WithLabelValues(operation, cmp.Or(country, "auto"), cmp.Or(format, "auto"), outcome).Inc()
}

// StatusOf is the status of the answer to an order that ended with err; 200 for nil.
func StatusOf(err error) int {
	if err == nil {
		return http.StatusOK
	}
	return answers.RefusalOf(err).Status
}

// Counted gives a Runner that counts what another does.
func Counted(r Runner, c *Counter) Runner { return counted{r, c} }

type counted struct {
	runner  Runner
	counter *Counter
}

// Run implements Runner.
func (c counted) Run(ctx context.Context, run Run, request ledger.Content) (ledger.Output, error) {
	output, err := c.runner.Run(ctx, run, request)
	status := output.Status
	if err != nil {
		status = StatusOf(err)
	}
	c.counter.Count(run.Kind, status, output.Events)
	return output, err
}
