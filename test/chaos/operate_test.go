//go:build chaos

package chaos

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// settings are values that no start may take, by environment variable; missing is none at all. Every setting of the roles stands here.
var settings = map[string][]string{
	"EINVOICED_LISTEN":                  {"nowhere", "127.0.0.1:99999"},
	"EINVOICED_ADMIN_LISTEN":            {"nowhere"},
	"EINVOICED_LOG_LEVEL":               {"loud"},
	"EINVOICED_DATA":                    nil, // shared stores leave it alone
	"EINVOICED_RULEBOOKS":               {"/no/such/folder"},
	"EINVOICED_DATABASE":                {missing, "mysql://x", "postgres://postgres@127.0.0.1:1/x?connect_timeout=1"},
	"EINVOICED_REDIS":                   {missing, "http://x", "redis://"},
	"EINVOICED_S3":                      {"ftp://x", "http://testkey:testsecret@127.0.0.1"},
	"EINVOICED_SECRET_KEY":              {missing, "short"},
	"EINVOICED_PLANS":                   {"/no/such/file"},
	"EINVOICED_RETENTION":               {"soon", "-1h"},
	"EINVOICED_FAILED_RETENTION":        {"soon", "-1h"},
	"EINVOICED_EXPIRED_RETENTION":       {"soon", "-1h"},
	"EINVOICED_STORED_BYTES":            {"-1", "many"},
	"EINVOICED_JOB_TIME":                {"never", "-1s"},
	"EINVOICED_START_WAIT":              {"soon", "-1s"},
	"EINVOICED_CONCURRENCY":             {"-1", "many"},
	"EINVOICED_QUEUES":                  {"nowhere", "default=0"},
	"EINVOICED_FONT_FOLDER":             {"/no/such/folder"},
	"EINVOICED_EMBED_SERVICE":           {"perhaps"},
	"EINVOICED_ALLOW_NETWORK":           {"everything"},
	"EINVOICED_SMTP":                    {"http://x"},
	"EINVOICED_PEPPOL_SML":              {"no zone", "lab.test"}, // the second without the certificates that it needs
	"EINVOICED_PEPPOL_DNS":              {"nowhere", "127.0.0.1:99999", "127.0.0.1:0", ":53"},
	"EINVOICED_PEPPOL_TRUST":            {"/no/such/file", "/dev/null"},
	"EINVOICED_PEPPOL_CA":               {"/no/such/file", "/dev/null"},
	"EINVOICED_VERIFACTU":               {"/no/such/file"},
	"EINVOICED_PROXY":                   {"ftp://x", "nowhere"},
	"EINVOICED_STRICT_COUNTRY_SPECIFIC": {"perhaps"},
	"EINVOICED_LARGE_INVOICES":          {"perhaps"},
	"EINVOICED_INLINE_MAX_LINES":        {"-1", "many"},
	"EINVOICED_INLINE_MAX_BYTES":        {"-1", "many"},
	"EINVOICED_INLINE_MAX_TIME":         {"-1s", "soon"},
	"EINVOICED_RATE_PER_SECOND":         {"-1", "many"},
	"EINVOICED_RATE_BURST":              {"-1", "many"},
}

const missing = ""

// fine are settings that serve does without.
var fine = map[string]bool{"serve EINVOICED_DATABASE": true, "serve EINVOICED_REDIS": true}

var (
	variable = regexp.MustCompile(`\$(EINVOICED_[A-Z0-9_]+)`)
	flagOf   = regexp.MustCompile(`--[a-z0-9-]+`)
)

// roles gives the commands of a program that run.
func roles(t *testing.T, program string) []string {
	t.Helper()
	var known []string
	for _, role := range []string{"serve", "api", "worker", "scheduler"} {
		if exec.Command(program, role, "--help").Run() == nil {
			known = append(known, role)
		}
	}
	return known
}

// I1: a start with a setting that is missing or cannot be is refused at once, and the message names variable and flag.
func TestI1_SettingsThatCannotBeAreRefused(t *testing.T) {
	h := harness.Prepare(t, harness.Plan{Setup: harness.Shared, Program: program(t)})
	h.StartAll() // with none of them
	h.StopAll()
	h.Setenv("EINVOICED_START_WAIT", "0s")
	refusesSetting(t, harness.Prepare(t, harness.Plan{Setup: harness.Embedded, Program: h.Program}), "serve", "EINVOICED_DATA", "/proc/no/such")
	for _, role := range roles(t, h.Program) {
		help, err := exec.Command(h.Program, role, "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range variable.FindAllStringSubmatch(string(help), -1) {
			values, known := settings[m[1]]
			if !known {
				t.Errorf("%s: the table has no impossible value of %s", role, m[1])
			}
			for _, value := range values {
				if value != missing || !fine[role+" "+m[1]] {
					refusesSetting(t, h, role, m[1], value)
				}
			}
		}
	}
}

func refusesSetting(t *testing.T, h *harness.System, role, name, value string) {
	t.Helper()
	p := h.NewRole(role+" with "+name+"="+value, role, h.Program)
	p.Override(name, value)
	began := time.Now()
	p.Start()
	code, ended := p.Wait(5 * time.Second)
	p.Kill()
	took, flag := time.Since(began), "--"+strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, "EINVOICED_"), "_", "-"))
	if !ended || code <= 0 || took > 2*time.Second {
		t.Errorf("%s: exit code %d after %s, ended %t", p.Name, code, took, ended)
	}
	if log := p.Log(); !strings.Contains(log, name) || !slices.Contains(flagOf.FindAllString(log, -1), flag) {
		t.Errorf("%s does not name variable and flag: %s", p.Name, log)
	}
}

// I3: metrics, profiles and reloading are not on the listener of the API.
func TestI3_NothingInternalIsPublic(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		h := open(t, s)
		customer := h.Customer()
		for _, base := range h.Bases() {
			for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap", "/debug/vars", "/rulebooks/reload", "/admin", "/api/v1/metrics"} {
				for _, method := range []string{"GET", "POST"} {
					customer.At(base).Want(t, 404, method, path, nil)
				}
			}
		}
	})
}

// container starts the program in what stands in for a container: namespaces of its own for mounts, processes and names, everything
// read-only but the data and a small temporary folder, user nobody, no capabilities, no shell in the way, one processor.
const container = `set -e
mount --bind "$DATA" "$DATA"
mount -o remount,bind,ro /
mount -t tmpfs -o size=16m tmpfs /tmp
cd "$DATA"
exec setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all taskset -c 0 "$DATA/einvoiced" serve`

// I4: the service runs as in a container: nobody, read-only, without capabilities; its peak of memory stays below 512 MB.
func TestI4_RunsLikeInAContainer(t *testing.T) {
	t.Parallel()
	data, err := os.MkdirTemp("/var/tmp", "container") // not below /tmp, which is covered
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(data) })
	if err := os.Chown(data, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(program(t))
	if err == nil {
		err = os.WriteFile(filepath.Join(data, "einvoiced"), binary, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	h := harness.Prepare(t, harness.Plan{Setup: harness.Embedded, Program: filepath.Join(data, "einvoiced"), Data: data})
	inside := h.Contained("/bin/sh", container)
	inside.Restart(t)
	defer inside.Kill()
	first := regexp.MustCompile(`KEY=(sk_test_\w+)`).FindStringSubmatch(inside.Log())
	if first == nil {
		t.Fatalf("no key was printed: %s", inside.Log())
	}
	example, err := os.ReadFile(filepath.Join(harness.Root(t), "docs", "example.json"))
	if err != nil {
		t.Fatal(err)
	}
	customer := harness.NewClient(t, first[1], inside.Base)
	for range 50 {
		customer.Want(t, 200, "POST", "/api/v1/invoice/de/xrechnung/generate", example)
	}
	status := statusOf(t, filepath.Join(data, "einvoiced"))
	if kb, err := strconv.Atoi(status["VmHWM"]); err != nil || kb > 512<<10 {
		t.Errorf("the peak of memory is %s kB", status["VmHWM"])
	}
	if status["Uid"] != "65534" || status["CapEff"] != "0000000000000000" || status["NoNewPrivs"] != "1" {
		t.Errorf("the process is %v", status)
	}
}

// statusOf reads what the kernel tells of the process that runs a program.
func statusOf(t *testing.T, program string) map[string]string {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err != nil || target != program {
			continue
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(link), "status"))
		if err != nil {
			t.Fatal(err)
		}
		status := map[string]string{}
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(line, ":")
			if fields := strings.Fields(value); len(fields) > 0 {
				status[name] = fields[0]
			}
		}
		return status
	}
	t.Fatalf("no process runs %s", program)
	return nil
}

// I6: a backup that is made while jobs come is whole, and a service on it does every job that was accepted before.
func TestI6_BackupUnderLoad(t *testing.T) {
	t.Parallel()
	h := open(t, harness.Embedded)
	customer := h.Customer()
	orders := harness.Learn(t, customer, harness.Orders(t))
	load := &harness.Load{Client: customer, Orders: orders, Jobs: size(300, 3000), Beside: 8, Seed: 9}
	var before []harness.Accepted
	elsewhere := ""
	backUp := func(t *testing.T, h *harness.System) {
		if elsewhere == "" && load.Accepted() > load.Jobs/2 {
			before = load.Sent()
			elsewhere = backup(t, h)
		}
	}
	raid{jobs: load.Jobs, whom: nobody, beside: backUp}.send(t, h, load)
	h.StopAll()
	restored := harness.Open(t, harness.Plan{Setup: harness.Embedded, Program: program(t), Data: elsewhere})
	audit := restored.Audit()
	audit.Settled(time.Minute)
	rows := audit.Rows()
	for _, job := range before {
		if rows[job.ID].State != "succeeded" {
			t.Errorf("job %s: %+v", job.ID, rows[job.ID])
		}
		answer := customer.At(restored.Bases()[0]).Want(t, 200, "GET", "/api/v1/jobs/"+job.ID, nil)
		var view struct{ Result json.RawMessage }
		if answer.JSON(t, &view); len(view.Result) == 0 {
			t.Errorf("job %s has no result", job.ID)
		}
	}
	if fault := audit.Texts("PRAGMA integrity_check"); len(fault) != 1 || fault[0] != "ok" {
		t.Error(fault)
	}
}

// backup does what docs/operations.md says: it writes an archive of the running service, and makes a folder of it.
func backup(t *testing.T, h *harness.System) string {
	t.Helper()
	archive, into := filepath.Join(t.TempDir(), "backup.tar"), filepath.Join(t.TempDir(), "restored")
	for _, command := range [][]string{{"backup", "--with-secret", archive}, {"restore", "--data", into, archive}} {
		if _, err := h.Command(command...); err != nil {
			t.Fatal(err)
		}
	}
	return into
}

// I7: the log has no word of an invoice and no key, and each line about a request or a job says which.
func TestI7_LogTellsNoInvoice(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		receiver := harness.StartReceiver(t)
		h := open(t, s, reaches(receiver))
		customer := h.Customer()
		orders := harness.Learn(t, customer, harness.Orders(t))
		receiver.Subscribe(t, customer, "/log", "job.succeeded", "invoice.created")
		load := &harness.Load{Client: customer, Orders: orders, Jobs: 100, Beside: 4, Seed: 10}
		raid{jobs: load.Jobs, whom: nobody}.send(t, h, load)
		for _, broken := range []string{`{"invoice": {"seller": {"name": "Kanarienvogel GmbH"}}}`, `{"invoice": {"seller": {"name": Kanarienvogel`} {
			customer.Want(t, 400, "POST", "/api/v1/invoice/de/xrechnung/generate", []byte(broken))
		}
		h.Audit().Settled(time.Minute)
		h.StopAll()
		for _, r := range h.Roles {
			scanLog(t, r, append(canaries(t, orders), "Kanarienvogel", customer.Key[12:]))
		}
	})
}

// canaries are names of people, companies and streets in the orders' invoices.
func canaries(t *testing.T, orders []harness.Order) []string {
	t.Helper()
	var names []string
	for _, o := range harness.Only(orders, "generate") {
		var body struct {
			Invoice struct {
				InvoiceNumber string
				Seller, Buyer struct{ Name, Street, VatID string }
			}
		}
		if err := json.Unmarshal(o.Body, &body); err != nil {
			continue // not every one fits
		}
		for _, party := range []struct{ Name, Street, VatID string }{body.Invoice.Seller, body.Invoice.Buyer} {
			for _, name := range []string{party.Name, party.Street, party.VatID} {
				if len(name) > 5 && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	if len(names) < 10 {
		t.Fatalf("only %d names to look for", len(names))
	}
	return names
}

func scanLog(t *testing.T, r *harness.Role, names []string) {
	t.Helper()
	for line := range strings.Lines(r.Log()) {
		for _, name := range names {
			if strings.Contains(line, name) && !strings.Contains(line, "Test key") && !strings.Contains(line, "curl") {
				t.Errorf("%s logs %q: %s", r.Name, name, line)
			}
		}
		var entry map[string]any
		if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &entry) != nil {
			continue
		}
		msg, _ := entry["msg"].(string)
		if strings.HasPrefix(msg, "request") && entry["request_id"] == nil || strings.HasPrefix(msg, "job ") && entry["job_id"] == nil {
			t.Errorf("%s: a line does not say which: %s", r.Name, line)
		}
	}
}

// A9: the disk is full while requests are accepted and jobs are done. Nothing is corrupted, and it goes on when there is room, little as it is: as long as
// it may be elsewhere, the log of the database would take it all.
func TestA9_DiskFull(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := syscall.Mount("tmpfs", data, "tmpfs", 0, fmt.Sprintf("size=%dm", size(14, 32))); err != nil {
		t.Fatalf("a small file system is needed: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(data, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	h := open(t, harness.Embedded, func(p *harness.Plan) { p.Data = data })
	customer, audit := h.Customer(), h.Audit()
	orders := harness.Only(harness.Learn(t, customer, harness.Orders(t)), "generate")
	load := &harness.Load{Client: customer, Orders: orders, Jobs: size(150, 1000), Beside: 4, Seed: 11}
	filler := filepath.Join(data, "filler")
	fill(t, filler, 3<<20)
	refused := false
	room := func(t *testing.T, h *harness.System) {
		if refused {
			return
		}
		a, err := customer.Do(t.Context(), "POST", orders[0].Path, orders[0].Body, "Prefer", "respond-async")
		if refused = err == nil && (a.Status == 500 || a.Status == 503); refused {
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
		}
	}
	accepted, _ := raid{jobs: load.Jobs, whom: nobody, beside: room}.send(t, h, load)
	if !refused {
		t.Error("no request was refused: the disk was not full")
	}
	audit.Settled(2 * time.Minute)
	rows := audit.Rows()
	for _, job := range accepted {
		if rows[job.ID].State != "succeeded" {
			t.Errorf("%+v", rows[job.ID])
		}
	}
	if fault := audit.Texts("PRAGMA integrity_check"); len(fault) != 1 || fault[0] != "ok" {
		t.Error(fault)
	}
	h.StopAll()
}

// fill writes a file until the file system has no more than so many bytes.
func fill(t *testing.T, name string, left uint64) {
	t.Helper()
	var state syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(name), &state); err != nil {
		t.Fatal(err)
	}
	size := state.Bavail*uint64(state.Bsize) - left
	if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
}
