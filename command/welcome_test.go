package command

import (
	"context"
	"net"
	"os/exec"
	"strings"
	"testing"
)

// TestServe_FirstStart ensures that the printed lines work when they are pasted into a shell, also where the checkout is not, and that
// the key may do everything, administration too.
func TestServe_FirstStart(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	_, lines, ok := strings.Cut(s.stdout.String(), "\nexport ")
	lines, _, more := strings.Cut(lines, "\n\n")
	if !ok || !more || strings.Count(lines, "curl ") != 2 {
		t.Fatalf("printed: %s", s.stdout)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-ec", "export "+lines)
	shell.Dir = t.TempDir() // where there is no example
	answer, err := shell.Output()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Success bool
		Format  string
		Data    []byte
	}
	unmarshal(t, answer, &document)
	if !document.Success || document.Format != "xrechnung" || !strings.Contains(string(document.Data), "<cbc:ID>2026-0117</cbc:ID>") {
		t.Errorf("answer: %s", answer)
	}
	for _, path := range []string{"/api/v1/keys", "/api/v1/webhooks", "/api/v1/account", "/api/v1/usage", "/api/v1/jobs"} {
		if status, _, body := get(t, "GET", s.url+path, s.firstKey(t), ""); status != 200 {
			t.Errorf("%s: status %d: %s", path, status, body)
		}
	}
}

// TestServe_LaterStart ensures that the key is printed once, and that each start tells the address and a line that makes another key.
func TestServe_LaterStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	if code := s.stop(); code != exitOK {
		t.Fatalf("exit code %d: %s", code, s.stderr)
	}
	again := start(t, dir)
	out := again.stdout.String()
	want := "export URL=" + again.url + " KEY=$(einvoiced keys create --data '" + dir + "')\n"
	if strings.Contains(out, "sk_") || !strings.Contains(out, want) || !strings.Contains(out, again.url+"/docs/") {
		t.Errorf("printed %s, want %s", out, want)
	}
}

// TestServe_PublicAddress ensures that no key is made or printed where others can reach the service.
func TestServe_PublicAddress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir, "--listen", "0.0.0.0:0")
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.url, "http://"))
	if out := s.stdout.String(); strings.Contains(out, "sk_") || !strings.Contains(out, "export URL=http://localhost:"+port+" KEY=$(einvoiced keys create --data") {
		t.Errorf("printed: %s", out)
	}
	key, _, code := run(t, "", "keys", "create", "--data", dir)
	if status, _, body := get(t, "GET", s.url+"/api/v1/invoice/formats", strings.TrimSpace(key), ""); code != exitOK || status != 200 {
		t.Errorf("exit code %d, status %d: %s", code, status, body)
	}
}

// TestCreateKeyLine_CanBePasted ensures that the line names this service, as it is reached from another terminal or from outside its
// container, and tells no password.
func TestCreateKeyLine_CanBePasted(t *testing.T) {
	secret := "postgres://einvoiced:hunter2@db/einvoiced"
	for name, c := range map[string]struct {
		program, container, data, database string
		environment                        [2]string // EINVOICED_DATA, EINVOICED_DATABASE
		want                               string
	}{
		"the default folder":                   {data: "data", want: "einvoiced keys create"},
		"another folder":                       {program: "./einvoiced", data: "it's", want: `./einvoiced keys create --data 'it'\''s'`},
		"one from the environment":             {data: "/data", environment: [2]string{"/data"}, want: "einvoiced keys create --data '/data'"},
		"with go run":                          {program: "go run .", data: "data", want: "go run . keys create"},
		"a database":                           {data: "data", database: secret, want: "einvoiced keys create --database …"},
		"a container":                          {"/einvoiced", "8f3c", "/data", "", [2]string{"/data"}, "docker exec 8f3c /einvoiced keys create"},
		"a container with a database":          {"/einvoiced", "8f3c", "/data", secret, [2]string{"/data", secret}, "docker exec 8f3c /einvoiced keys create"},
		"a container with a flag for a folder": {"/einvoiced", "8f3c", "/other", "", [2]string{"/data"}, "docker exec 8f3c /einvoiced keys create --data '/other'"},
	} {
		t.Setenv("EINVOICED_DATA", c.environment[0])
		t.Setenv("EINVOICED_DATABASE", c.environment[1])
		h := &daemon{}
		h.settings.Data, h.settings.Database = c.data, c.database
		if got := h.createKeyLine(&Main{Name: c.program}, c.container); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestServe_InAContainer ensures that a start in a container tells the line for outside, and on a loopback address that for inside.
func TestServe_InAContainer(t *testing.T) {
	for listen, want := range map[string]string{"0.0.0.0:0": "KEY=$(docker exec 8f3c einvoiced keys create --data ", "127.0.0.1:0": "Another key: einvoiced keys create --data "} {
		out := &lockedBuffer{}
		m := &Main{Stdin: strings.NewReader(""), Stdout: out, Stderr: &lockedBuffer{}, Container: "8f3c"}
		ctx, stop := context.WithCancel(t.Context())
		m.Started = func(string, string) { stop() }
		if err := m.Parse([]string{"serve", "--data", t.TempDir(), "--listen", listen, "--admin-listen", "off"}); err != nil {
			t.Fatal(err)
		}
		if err := m.Run(ctx); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s: error %v, printed %s", listen, err, out)
		}
	}
}
