package command

import (
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/einvoiced/einvoiced/api"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/scheduler"
	"github.com/einvoiced/einvoiced/worker/subprocess"
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

// rulebooksMetrics tells what is loaded when it is asked.
type rulebooksMetrics struct {
	registry  *rulebook.Registry
	rulebooks *scheduler.Rulebooks
}

var (
	generationDesc = prometheus.NewDesc("einvoiced_rulebooks_generation", "Number of the rulebooks in use; the same in all processes that use the same.", nil, nil)
	loadedDesc     = prometheus.NewDesc("einvoiced_rulebooks_loaded", "Rulebooks in use.", nil, nil)
	behindDesc     = prometheus.NewDesc("einvoiced_rulebooks_behind", "1 where this process cannot follow the others to the latest rulebooks, else 0.", nil, nil)
	swapsDesc      = prometheus.NewDesc("einvoiced_rulebooks_reloads_total", "Loads of rulebooks since the start, by what came of them.", []string{"outcome"}, nil)
)

// Describe implements prometheus.Collector.
func (rulebooksMetrics) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{generationDesc, loadedDesc, behindDesc, swapsDesc} {
		descs <- d
	}
}

// Collect implements prometheus.Collector.
func (m rulebooksMetrics) Collect(metrics chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	g := m.registry.Current()
	gauge(generationDesc, float64(g.Number))
	gauge(loadedDesc, float64(len(g.Books())))
	behind := 0.0
	if m.rulebooks.InStep() != nil {
		behind = 1
	}
	gauge(behindDesc, behind)
	for swap, n := range m.rulebooks.Swaps() {
		metrics <- prometheus.MustNewConstMetric(swapsDesc, prometheus.CounterValue, float64(n), string(swap))
	}
}

// largeRuns tells what became of large runs when it is asked.
type largeRuns struct{ runner *subprocess.Runner }

var largeRunsDesc = prometheus.NewDesc("einvoiced_large_runs_total", "Runs of jobs on large inputs since the start: done in a process of their own, here because no other process could, or died.", []string{"course"}, nil)

// Describe implements prometheus.Collector.
func (largeRuns) Describe(descs chan<- *prometheus.Desc) { descs <- largeRunsDesc }

// Collect implements prometheus.Collector.
func (l largeRuns) Collect(metrics chan<- prometheus.Metric) {
	for course, n := range l.runner.Counts() {
		metrics <- prometheus.MustNewConstMetric(largeRunsDesc, prometheus.CounterValue, float64(n), string(course))
	}
}

// adminHandler shows metrics and profiles, and reloads rulebooks. It has no authentication and belongs on a loopback address.
// The health of a process without the API is asked there, too.
func adminHandler(h *daemon) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", h.health)
	mux.HandleFunc("POST "+reloadPath, reloader(h.follow))
	mux.Handle("GET /metrics", promhttp.HandlerFor(h.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return named(mux, h.settings.AdminListen)
}

// named refuses requests whose Host is a name of the public DNS: a page in a browser on this machine reaches the listener under a name of its
// own that it lets point here. Addresses, names without a dot, localhost and the name that the listener was given are those of who means it.
func named(next http.Handler, listen string) http.Handler {
	own, _, _ := net.SplitHostPort(listen)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]")
		}
		_, noAddress := netip.ParseAddr(host)
		if noAddress != nil && strings.Contains(strings.TrimSuffix(host, "."), ".") && !strings.EqualFold(host, own) && !within(host) {
			http.Error(w, "the Host is not one of this listener: ask by its address, or by a name without a dot", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// within tells whether the name is one that only this machine or its network gives out (RFC 6761, RFC 6762, RFC 8375, ICANN's .internal).
func within(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return slices.ContainsFunc([]string{".localhost", ".local", ".internal", ".home.arpa"}, func(zone string) bool { return strings.HasSuffix(host, zone) })
}

// health answers 200, or 503 with the condition that does not hold.
func (h *daemon) health(w http.ResponseWriter, r *http.Request) {
	for _, c := range h.checks() {
		if c.Serves {
			continue
		}
		if err := c.Err(r.Context()); err != nil {
			http.Error(w, c.Name+": "+err.Error(), http.StatusServiceUnavailable)
			return
		}
	}
	_, _ = io.WriteString(w, "ok\n")
}
