package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/einvoiced/einvoiced/job"
)

// Metrics counts what a Server does. Names follow the OpenTelemetry HTTP conventions in Prometheus form; no label holds an id,
// a URL or anything of an invoice.
type Metrics struct {
	Documents *job.Counter // also for workers, so that a document counts once, wherever it is made

	duration *prometheus.HistogramVec
	active   prometheus.Gauge
}

// NewMetrics registers the metrics with r. It panics when r has them already, which is a mistake in this program.
func NewMetrics(r prometheus.Registerer) *Metrics {
	m := &Metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "http_server_request_duration_seconds",
			Help:    "Time from the first byte of a request's header to the last of its answer.",
			Buckets: []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60},
		}, []string{"route", "method", "status"}),
		active: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "http_server_active_requests", Help: "Requests that are being answered.",
		}),
		Documents: job.NewCounter(r),
	}
	r.MustRegister(m.duration, m.active)
	return m
}

// request counts one answered request.
func (m *Metrics) request(verb, route string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	m.duration.WithLabelValues(route, method(verb), strconv.Itoa(status)).Observe(took.Seconds())
}

// method keeps the label and the log from growing with invented methods.
func method(verb string) string {
	switch verb {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return verb
	}
	return "other"
}
