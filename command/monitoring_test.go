package command

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"

	"github.com/einvoiced/einvoiced/docs"
)

// metricName is the form of the metrics of the program, of Go and of the process in an expression of Prometheus.
var metricName = regexp.MustCompile(`\b(einvoiced|http_server|process|go)_[a-z_]+\b`)

// label is a comparison of a label in an expression.
var label = regexp.MustCompile(`([a-z]+)(=|!=|=~)"([^"]*)"`)

// scraped is what a service has to say after it was used: documents that are valid, not valid and refused, and a job.
func scraped(t *testing.T) (names map[string]bool, text string) {
	t.Helper()
	c := newContract(t)
	c.generate(t)
	c.generate(t, "currency", "")
	c.validate(t, edited(t))
	c.validate(t, edited(t, "subtotal", "101", "total", "120"))
	accepted := c.ask(t, "POST", generatePath, string(docs.Example()), "Prefer", "respond-async")
	c.waitForJob(t, accepted.Header["Location"][0], c.key)
	_, _, body := get(t, "GET", c.admin+"/metrics", "", "")
	text, names = string(body), map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(?:# HELP )?([a-z_]+)`).FindAllStringSubmatch(text, -1) {
		names[m[1]] = true
	}
	return names, text
}

// TestMetrics_OfJobsAndDependencies ensures the metrics of how long jobs wait and run, of what came of jobs and documents, and of what
// the process stands on.
func TestMetrics_OfJobsAndDependencies(t *testing.T) {
	t.Parallel()
	_, text := scraped(t)
	for _, want := range []string{
		`einvoiced_job_wait_seconds_count{queue="default"} 1`, `einvoiced_job_run_seconds_count{queue="default"} 1`,
		`einvoiced_jobs_ended_total{outcome="succeeded",queue="default"} 1`,
		`einvoiced_dependency_up{dependency="database"} 1`, `einvoiced_dependency_up{dependency="queue"} 1`, `einvoiced_dependency_up{dependency="documents"} 1`,
		`einvoiced_documents_total{country="de",format="xrechnung",operation="validate",outcome="ok"} 1`,
		`einvoiced_documents_total{country="de",format="xrechnung",operation="validate",outcome="invalid"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// TestMetrics_WithoutADependency ensures that the metrics say which dependency is down, and that the others are still told.
func TestMetrics_WithoutADependency(t *testing.T) {
	t.Parallel()
	c := newContract(t)
	if err := os.RemoveAll(c.dir + "/" + documentsName); err != nil {
		t.Fatal(err)
	}
	status, _, body := get(t, "GET", c.admin+"/metrics", "", "")
	for _, want := range []string{`einvoiced_dependency_up{dependency="documents"} 0`, `einvoiced_dependency_up{dependency="database"} 1`} {
		if status != 200 || !strings.Contains(string(body), want) {
			t.Errorf("status %d: no %s", status, want)
		}
	}
}

// expressions are those of the alert rules and of the Grafana board.
func expressions(t *testing.T) (list []string) {
	t.Helper()
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal([]byte(readText(t, "../deploy/alerts.yml")), &rules); err != nil {
		t.Fatal(err)
	}
	for _, r := range rules.Groups[0].Rules {
		list = append(list, r.Expr)
	}
	var board struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	unmarshal(t, []byte(readText(t, "../deploy/grafana.json")), &board)
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			list = append(list, target.Expr)
		}
	}
	return list
}

// TestBoardAndAlerts_UseMetricsThatExist ensures that every metric and label that the Grafana board and the alert rules ask for is one
// that the service has, and that the board has each metric of its own.
func TestBoardAndAlerts_UseMetricsThatExist(t *testing.T) {
	t.Parallel()
	names, text := scraped(t)
	labels := map[string]bool{"job": true, "instance": true, "le": true}
	for _, m := range label.FindAllStringSubmatch(text, -1) {
		labels[m[1]] = true
	}
	// Those of metrics that have no values before something goes wrong, or while nothing waits.
	for _, late := range []string{"state", "reason"} {
		labels[late] = true
	}
	asked := map[string]bool{}
	list := expressions(t)
	if len(list) < 20 {
		t.Fatalf("%d expressions", len(list))
	}
	for _, e := range list {
		used := metricName.FindAllString(e, -1)
		for _, name := range used {
			base := regexp.MustCompile(`_(bucket|count|sum)$`).ReplaceAllString(name, "")
			if !names[name] && !names[base] && !slices.Contains(lateMetrics, name) {
				t.Errorf("%s: there is no metric %s", e, name)
			}
			asked[base] = true
		}
		if len(used) == 0 && !strings.HasPrefix(e, "up{") {
			t.Errorf("%s asks for no metric", e)
		}
		for _, m := range label.FindAllStringSubmatch(e, -1) {
			if !labels[m[1]] {
				t.Errorf("%s: there is no label %s", e, m[1])
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^# HELP (einvoiced_[a-z_]+)`).FindAllStringSubmatch(text, -1) {
		if !asked[m[1]] && !slices.Contains([]string{"einvoiced_rulebooks_generation", "einvoiced_rulebooks_reloads_total"}, m[1]) {
			t.Errorf("neither board nor alerts ask for %s", m[1])
		}
	}
}

// lateMetrics have no values, and so are not told, before something waits or goes wrong.
var lateMetrics = []string{"einvoiced_jobs", "einvoiced_oldest_job_age_seconds", "einvoiced_outbound_failures_total", "einvoiced_webhook_attempts_total"}

// TestLateMetricsExist ensures that the metrics which a service without trouble does not tell are described by its collectors.
func TestLateMetricsExist(t *testing.T) {
	t.Parallel()
	described := jobsDesc.String() + oldestDesc.String() + outboundDesc.String() + attemptsDesc.String()
	for _, name := range lateMetrics {
		if !strings.Contains(described, `"`+name+`"`) {
			t.Errorf("%s is not described", name)
		}
	}
}

// TestSystemdUnit_Starts ensures that the command and the settings of the systemd unit are those of the program.
func TestSystemdUnit_Starts(t *testing.T) {
	t.Parallel()
	unit := readText(t, "../deploy/einvoiced.service")
	command := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/einvoiced (.*)$`).FindStringSubmatch(unit)
	if command == nil {
		t.Fatal("the unit starts nothing")
	}
	parser, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(strings.Fields(command[1])); err != nil {
		t.Error(err)
	}
	known := variablesOf(t, "serve")
	for _, variable := range regexp.MustCompile(`EINVOICED_[A-Z_]+`).FindAllString(unit, -1) {
		if !slices.Contains(known, variable) {
			t.Errorf("einvoiced serve does not read %s", variable)
		}
	}
	if !strings.Contains(unit, "TimeoutStopSec=30\n") || drainHTTP+drainJobs >= 30e9 {
		t.Errorf("the unit grants less time than a stop takes, %v", drainHTTP+drainJobs)
	}
}

// TestCompose_AdminPortIsScraped ensures that every process of docker-compose.yml has its admin port in the network, and that
// Prometheus asks each of them there.
func TestCompose_AdminPortIsScraped(t *testing.T) {
	t.Parallel()
	var prometheus struct {
		Rules   []string `yaml:"rule_files"`
		Scrapes []struct {
			DNS []struct {
				Names []string
				Port  int
			} `yaml:"dns_sd_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(readText(t, "../deploy/prometheus.yml")), &prometheus); err != nil {
		t.Fatal(err)
	}
	asked := prometheus.Scrapes[0].DNS[0]
	services := ours(t)
	for name, s := range services {
		if s.Environment["EINVOICED_ADMIN_LISTEN"] != "0.0.0.0:8081" || asked.Port != 8081 || !slices.Contains(asked.Names, name) {
			t.Errorf("%s: admin listener %s, scraped %+v", name, s.Environment["EINVOICED_ADMIN_LISTEN"], asked)
		}
	}
	if len(asked.Names) != len(services) {
		t.Errorf("scraped are %v", asked.Names)
	}
	mounted, _ := json.Marshal(readCompose(t)["prometheus"].Volumes)
	for _, file := range append(prometheus.Rules, "prometheus.yml") {
		if !strings.Contains(string(mounted), "./deploy/"+file+":") {
			t.Errorf("%s is not mounted: %s", file, mounted)
		}
	}
}
