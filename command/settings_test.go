package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/docs"
	"github.com/einvoiced/einvoiced/internal/await"
)

// TestServe_RefusesBadSettings ensures that a setting that cannot be used ends the start and is named with its flag and its twin.
func TestServe_RefusesBadSettings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("plans: [no map]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ flag, value string }{
		{"--log-level", "loud"}, {"--concurrency", "x"}, {"--concurrency", "-1"}, {"--inline-max-lines", "-1"}, {"--inline-max-bytes", "2MB"},
		{"--retention", "7"}, {"--retention", "1s"}, {"--job-time", "soon"}, {"--job-time", "1ms"}, {"--start-wait", "-1s"}, {"--queues", "nobody"}, {"--queues", "default=0"},
		{"--queues", ","}, {"--database", "mysql://x"}, {"--redis", "ftp://x"}, {"--s3", "nowhere"}, {"--secret-key", "c2hvcnQ="}, {"--plans", file},
		{"--plans", filepath.Join(dir, "absent")}, {"--data", file}, {"--rulebooks", file}, {"--listen", "nowhere:x"}, {"--admin-listen", "nowhere:x"}, {"--listen", ""}, {"--admin-listen", ""},
	} {
		t.Run(c.flag+"="+filepath.Base(c.value), func(t *testing.T) {
			args := []string{"serve", "--data", filepath.Join(dir, "data"), "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", c.flag, c.value}
			if c.flag == "--database" {
				args = append(args, "--secret-key", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
			}
			_, errs, code := run(t, "", args...)
			twin := "EINVOICED_" + strings.ToUpper(strings.ReplaceAll(strings.TrimPrefix(c.flag, "--"), "-", "_"))
			if code == exitOK || !strings.Contains(errs, c.flag) || !strings.Contains(errs, twin) {
				t.Errorf("code %d, %s", code, errs)
			}
		})
	}
}

// TestRoles_NeedSharedStores ensures that a role alone says which store it lacks.
func TestRoles_NeedSharedStores(t *testing.T) {
	key := []string{"--secret-key", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="}
	for _, role := range []string{"api", "worker", "scheduler"} {
		for lacking, args := range map[string][]string{
			"--database":   append([]string{"--redis", "redis://127.0.0.1:1"}, key...),
			"--redis":      append([]string{"--database", "postgres://127.0.0.1:1/x"}, key...),
			"--secret-key": {"--database", "postgres://127.0.0.1:1/x", "--redis", "redis://127.0.0.1:1"},
		} {
			_, errs, code := run(t, "", append([]string{role, "--data", t.TempDir()}, args...)...)
			if code != exitUsage || !strings.Contains(errs, lacking) {
				t.Errorf("%s without %s: code %d, %s", role, lacking, code, errs)
			}
		}
	}
}

// TestHealth ensures that the health check of a container tells a process that runs from one that does not.
func TestHealth(t *testing.T) {
	s := start(t, t.TempDir())
	admin := strings.TrimPrefix(s.admin, "http://")
	if out, errs, code := run(t, "", "health", "--admin-listen", admin); code != exitOK || out != "ok\n" {
		t.Errorf("code %d, %q, %s", code, out, errs)
	}
	s.stop()
	if _, errs, code := run(t, "", "health", "--admin-listen", admin); code == exitOK || !strings.Contains(errs, "--admin-listen") {
		t.Errorf("after the stop: code %d, %s", code, errs)
	}
	if _, _, code := run(t, "", "health", "--admin-listen", "off"); code != exitUsage {
		t.Errorf("off: code %d", code)
	}
}

// TestDoctor ensures that the checks pass where everything is well, and that each says what is wrong and what to do.
func TestDoctor(t *testing.T) {
	dir := made(t)
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"well", nil, exitOK, []string{`"check":"disk","health":`, `MiB free, a synced write takes`, `"check":"database","health":"ok"`, `"check":"queue","health":"ok"`,
			`"check":"documents","health":"ok"`, `"check":"clock","health":"ok"`, `"check":"rulebooks","health":"ok"`}},
		{"no folder", []string{"--data", file}, exitInvalid, []string{`"check":"disk","health":"failed"`, "--data (EINVOICED_DATA)", `"check":"rulebooks","health":"ok"`}},
		{"no queue", []string{"--redis", "redis://127.0.0.1:1"}, exitInvalid, []string{`"check":"queue","health":"failed"`}},
		{"no rulebooks", []string{"--rulebooks", file}, exitInvalid, []string{`"check":"rulebooks","health":"failed"`}},
		{"no bucket", []string{"--s3", "nowhere"}, exitInvalid, []string{`"check":"documents","health":"failed"`, "--s3 (EINVOICED_S3)"}},
	} {
		out, errs, code := run(t, "", append([]string{"doctor", "--json", "--data", dir}, c.args...)...)
		if code != c.code {
			t.Errorf("%s: code %d, %s%s", c.name, code, out, errs)
		}
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %s in %s", c.name, want, out)
			}
		}
	}
}

// TestDoctor_WarnsOfLittleRoom ensures that a disk with less than a gibibyte is warned of, with the reason.
func TestDoctor_WarnsOfLittleRoom(t *testing.T) {
	for free, want := range map[uint64]health{0: weak, fewBytes - 1: weak, fewBytes: sound, 1 << 45: sound} {
		got, text := room(free, "disk")
		if got != want || strings.Contains(text, "128 MiB") != (want == weak) {
			t.Errorf("%d bytes: %s, %s", free, got, text)
		}
	}
}

// TestJobsCommands ensures that operators see, cancel and erase the jobs of all accounts.
func TestJobsCommands(t *testing.T) {
	c := newContract(t)
	accepted := c.ask(t, "POST", "/api/v1/invoice/de/xrechnung/generate", string(docs.Example()), "Prefer", "respond-async")
	id := strings.TrimPrefix(accepted.Header["Location"][0], "/api/v1/jobs/")
	list := func(args ...string) string {
		out, errs, code := run(t, "", append([]string{"jobs", "list", "--json", "--data", c.dir}, args...)...)
		if code != exitOK {
			t.Fatal(errs)
		}
		return out
	}
	await.True(t, "the job to be done", func() bool { return strings.Contains(list(), `"state":"succeeded"`) })
	if out := list("--state", "queued"); out != "" {
		t.Errorf("queued: %s", out)
	}
	for _, step := range []struct {
		command, want string
		code          int
	}{
		{"show", `"kind":"generate:de:xrechnung"`, exitOK}, {"cancel", "", exitInvalid}, {"erase", `"state":"expired"`, exitOK}, {"erase", `"state":"expired"`, exitOK},
	} {
		out, errs, code := run(t, "", "jobs", step.command, id, "--data", c.dir)
		if code != step.code || !strings.Contains(out, step.want) {
			t.Errorf("%s: code %d, %s%s", step.command, code, out, errs)
		}
	}
	if _, errs, code := run(t, "", "jobs", "show", "job_unknown", "--data", c.dir); code != exitUsage || !strings.Contains(errs, "job_unknown") {
		t.Errorf("unknown: code %d, %s", code, errs)
	}
}

// TestAccountsCommands ensures that accounts are made, listed and changed.
func TestAccountsCommands(t *testing.T) {
	dir := made(t)
	id, errs, code := run(t, "", "accounts", "create", "Musterfirma GmbH", "--data", dir)
	if id = strings.TrimSpace(id); code != exitOK || !strings.HasPrefix(id, "acc_") {
		t.Fatal(id, errs)
	}
	for _, args := range [][]string{{"--notification-email", "ops@example.com"}, {"--lapsed"}, {"--name", "Muster AG"}} {
		if _, errs, code := run(t, "", append([]string{"accounts", "update", id, "--data", dir}, args...)...); code != exitOK {
			t.Error(args, errs)
		}
	}
	plans := filepath.Join(dir, "plans.yaml")
	if err := os.WriteFile(plans, []byte("plans: {free: {lines: 25}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := run(t, "", "accounts", "update", id, "--data", dir, "--plans", plans, "--plan", "free"); code != exitOK {
		t.Error(errs)
	}
	for _, args := range [][]string{nil, {"--plans", plans}} {
		out, _, _ := run(t, "", append([]string{"doctor", "--json", "--data", dir}, args...)...)
		if configured := strings.Contains(out, `"check":"plans","health":"ok"`); configured != (args != nil) {
			t.Errorf("doctor with %v: %s", args, out)
		}
	}
	out, _, _ := run(t, "", "accounts", "list", "--json", "--data", dir)
	for _, want := range []string{`"name":"Muster AG"`, `"lapsed":true`, `"notificationEmail":"ops@example.com"`, `"plan":"free"`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	for _, args := range [][]string{{"create", ""}, {"update", "acc_unknown", "--name", "x"}, {"update", id, "--notification-email", "nobody"}, {"update", id, "--plan", "free"}} {
		if _, errs, code := run(t, "", append(append([]string{"accounts"}, args...), "--data", dir)...); code != exitUsage {
			t.Errorf("%v: code %d, %s", args, code, errs)
		}
	}
}
