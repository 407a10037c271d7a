package harness

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
)

// Metric gives the value of a metric of the process, with its labels as they are written; -1 where there is none or no answer.
func (r *Role) Metric(name string) float64 {
	text, err := fetch(r.Admin + "/metrics")
	if err != nil {
		return -1
	}
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(text)
	if found == nil {
		return -1
	}
	value, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		return -1
	}
	return value
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
