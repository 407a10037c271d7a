package harness

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
)

// Metric gives the value of a metric of the process, with its labels as they are written; -1 where there is none or no answer.
func (r *Role) Metric(name string) float64 { return r.Metrics(name)[0] }

// Metrics gives the values of several as they are at one moment.
func (r *Role) Metrics(names ...string) []float64 {
	values := make([]float64, len(names))
	text, err := fetch(r.Admin + "/metrics")
	for i, name := range names {
		values[i] = -1
		found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(text)
		if err != nil || found == nil {
			continue
		}
		if value, err := strconv.ParseFloat(found[1], 64); err == nil {
			values[i] = value
		}
	}
	return values
}

// Collect lets the process collect its garbage.
func (r *Role) Collect() error {
	_, err := fetch(r.Admin + "/debug/pprof/heap?gc=1")
	return err
}

func fetch(url string) (string, error) {
	res, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return string(data), err
}
