package command

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// jobMetrics measures the jobs that this process starts and ends; it is a ledger.Watch.
type jobMetrics struct {
	wait *prometheus.HistogramVec
	run  *prometheus.HistogramVec
	ends *prometheus.CounterVec
}

// jobBuckets are seconds: from what is done at once to what has waited for an hour.
var jobBuckets = []float64{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 3600}

// newJobMetrics registers the metrics.
func newJobMetrics(r prometheus.Registerer) *jobMetrics {
	m := &jobMetrics{
		wait: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "einvoiced_job_wait_seconds", Help: "Time from the acceptance of a job to the begin of its first run.", Buckets: jobBuckets,
		}, []string{"queue"}),
		run: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "einvoiced_job_run_seconds", Help: "Time from the begin of a job's first run to its end.", Buckets: jobBuckets,
		}, []string{"queue"}),
		ends: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "einvoiced_jobs_ended_total", Help: "Jobs that have ended, by what came of them: succeeded, refused (the input's fault), failed (ours) or canceled.",
		}, []string{"queue", "outcome"}),
	}
	r.MustRegister(m.wait, m.run, m.ends)
	return m
}

// Started implements ledger.Watch.
func (m *jobMetrics) Started(job ledger.Job) {
	m.wait.WithLabelValues(job.Queue).Observe(job.Started.Sub(job.Created).Seconds())
}

// Ended implements ledger.Watch.
func (m *jobMetrics) Ended(job ledger.Job) {
	outcome := string(job.State)
	if job.State == ledger.Failed && job.Failure == nil {
		outcome = "refused"
	}
	m.ends.WithLabelValues(job.Queue, outcome).Inc()
	if !job.Started.IsZero() {
		m.run.WithLabelValues(job.Queue).Observe(job.Finished.Sub(job.Started).Seconds())
	}
}

// unfinishedJobs counts the unfinished jobs when it is asked.
type unfinishedJobs struct {
	count func(context.Context) ([]ledger.Count, error)
}

var (
	jobsDesc   = prometheus.NewDesc("einvoiced_jobs", "Unfinished jobs.", []string{"queue", "state"}, nil)
	oldestDesc = prometheus.NewDesc("einvoiced_oldest_job_age_seconds", "Time since the oldest unfinished job was accepted.", []string{"queue", "state"}, nil)
)

// askedFor is how long metrics that have to be asked for may take.
const askedFor = 5 * time.Second

// Describe implements prometheus.Collector.
func (unfinishedJobs) Describe(descs chan<- *prometheus.Desc) {
	descs <- jobsDesc
	descs <- oldestDesc
}

// Collect implements prometheus.Collector. Where the database does not answer there are no numbers, and
// einvoiced_dependency_up says why; the other metrics stay.
func (g unfinishedJobs) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askedFor)
	defer cancel()
	counts, err := g.count(ctx)
	if err != nil {
		return
	}
	for _, c := range counts {
		metrics <- prometheus.MustNewConstMetric(jobsDesc, prometheus.GaugeValue, float64(c.Jobs), c.Queue, string(c.State))
		if !c.Oldest.IsZero() {
			metrics <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, max(0, time.Since(c.Oldest).Seconds()), c.Queue, string(c.State))
		}
	}
}

// dependencies tells whether what the process stands on answers, when it is asked.
type dependencies map[string]func(context.Context) error

var upDesc = prometheus.NewDesc("einvoiced_dependency_up", "1 where database, queue or documents answer, else 0.", []string{"dependency"}, nil)

// Describe implements prometheus.Collector.
func (dependencies) Describe(descs chan<- *prometheus.Desc) { descs <- upDesc }

// Collect implements prometheus.Collector. All are asked at once, so that one that hangs does not hide the others.
func (d dependencies) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askedFor)
	defer cancel()
	var asked sync.WaitGroup
	for name, ask := range d {
		asked.Go(func() {
			up := 1.0
			if ask(ctx) != nil {
				up = 0
			}
			metrics <- prometheus.MustNewConstMetric(upDesc, prometheus.GaugeValue, up, name)
		})
	}
	asked.Wait()
}

// documentsAnswer looks for a document that is not there: the answer is what counts. A folder has to be there.
func (s *stores) documentsAnswer(folder string) func(context.Context) error {
	return func(ctx context.Context) error {
		if _, ok := s.blobs.(*blob.Folder); ok {
			info, err := os.Stat(folder)
			if err == nil && !info.IsDir() {
				return fs.ErrInvalid
			}
			return err
		}
		_, err := s.blobs.Stat(ctx, "check/none")
		return absentIsFine(err)
	}
}

func absentIsFine(err error) error {
	if errors.Is(err, blob.ErrNotFound) {
		return nil
	}
	return err
}
