package main

import (
	"context"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"einvoiced/api"
	"einvoiced/storage/ledger"
)

// newRegistry gives a registry with the metrics of process and build.
func newRegistry(v api.Version) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "einvoiced_build_info", Help: "Always 1; the labels tell the build.",
		ConstLabels: prometheus.Labels{"version": v.Version, "revision": v.Commit, "go": v.Go},
	})
	build.Set(1)
	registry.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return registry
}

// jobsGauge counts the unfinished jobs when it is asked.
type jobsGauge struct {
	count func(context.Context) ([]ledger.Count, error)
}

var jobsDesc = prometheus.NewDesc("einvoiced_jobs", "Unfinished jobs.", []string{"queue", "state"}, nil)

// Describe implements prometheus.Collector.
func (jobsGauge) Describe(descs chan<- *prometheus.Desc) { descs <- jobsDesc }

// Collect implements prometheus.Collector.
func (g jobsGauge) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	counts, err := g.count(ctx)
	if err != nil {
		metrics <- prometheus.NewInvalidMetric(jobsDesc, err)
		return
	}
	for _, c := range counts {
		metrics <- prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(c.Jobs), c.Queue, string(c.State))
	}
}

// adminHandler shows metrics and profiles. It has no authentication and belongs on a loopback address.
func adminHandler(registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}
