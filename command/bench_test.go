package command

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"slices"
	"testing"
	"time"
)

// BenchmarkValidate_OneClient is a whole request over HTTP of one client that keeps its connection: an ordinary XRechnung is
// validated. The aim is a median of 1 ms.
func BenchmarkValidate_OneClient(b *testing.B) {
	s := start(b, b.TempDir(), "--rulebooks", os.Getenv("EINVOICED_BENCH_RULEBOOKS"))
	document, err := os.ReadFile("../testdata/xrechnung-ubl/minimal.xml")
	if err != nil {
		b.Fatal(err)
	}
	key := s.firstKey(b)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	var times []time.Duration
	b.SetBytes(int64(len(document)))
	for b.Loop() {
		started := time.Now()
		req, err := http.NewRequestWithContext(b.Context(), "POST", s.url+validatePath, bytes.NewReader(document))
		if err != nil {
			b.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer " + key}, "Content-Type": {"application/xml"}}
		res, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
			b.Fatal(res.Status, err)
		}
		res.Body.Close()
		times = append(times, time.Since(started))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
}
