package command

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/alecthomas/kong"
	"gopkg.in/yaml.v3"

	"github.com/einvoiced/einvoiced/docs"
	"github.com/einvoiced/einvoiced/internal/await"
)

// composed is a service of docker-compose.yml, as far as the tests need it.
type composed struct {
	Image       string
	Command     []string
	Environment map[string]string
	Healthcheck struct{ Test []string }
	Volumes     []string
}

// readCompose gives the services of docker-compose.yml.
func readCompose(t *testing.T) map[string]composed {
	t.Helper()
	data, err := os.ReadFile("../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Services map[string]composed }
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file.Services
}

// ours are the services that run this program.
func ours(t *testing.T) map[string]composed {
	t.Helper()
	services := readCompose(t)
	for name, s := range services {
		if s.Image != "einvoiced" {
			delete(services, name)
		}
	}
	return services
}

// variablesOf gives the environment variables that a command of the program reads.
func variablesOf(t *testing.T, command string) []string {
	t.Helper()
	parser, err := kong.New(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	var envs []string
	for _, node := range parser.Model.Children {
		if node.Name != command {
			continue
		}
		for _, group := range node.AllFlags(true) {
			for _, flag := range group {
				envs = append(envs, flag.Envs...)
			}
		}
	}
	return envs
}

// TestCompose_SettingsExist ensures that every setting of docker-compose.yml and of the image is one that its role reads.
func TestCompose_SettingsExist(t *testing.T) {
	roles := []string{}
	for name, s := range ours(t) {
		known := variablesOf(t, s.Command[0])
		for variable := range s.Environment {
			if !slices.Contains(known, variable) {
				t.Errorf("%s: einvoiced %s does not read %s", name, s.Command[0], variable)
			}
		}
		roles = append(roles, s.Command[0])
	}
	slices.Sort(roles)
	if got := strings.Join(roles, " "); got != "api scheduler worker worker" {
		t.Errorf("roles %s", got)
	}
	image, err := os.ReadFile("../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	known := variablesOf(t, "serve")
	for _, variable := range regexp.MustCompile(`EINVOICED_[A-Z_]+`).FindAllString(string(image), -1) {
		if !slices.Contains(known, variable) {
			t.Errorf("Dockerfile: einvoiced serve does not read %s", variable)
		}
	}
}

// TestCompose_RolesRun ensures that the roles of docker-compose.yml, started as processes with its commands and settings, pass their
// health checks and do a job together.
func TestCompose_RolesRun(t *testing.T) {
	addresses := sharedStores(t)
	if addresses == nil {
		t.Log("without PostgreSQL, Redis and S3 only the settings are checked")
		return
	}
	var url string
	for name, s := range ours(t) {
		env := s.resolved(t, addresses)
		if s.Command[0] == "api" {
			url = "http://" + env["EINVOICED_LISTEN"]
		}
		startRole(t, name, s, env)
	}
	secret := keyIn(t, addresses)
	status, header, body := get(t, http.MethodPost, url+"/api/v1/invoice/de/xrechnung/generate", secret, string(docs.Example()), "Prefer", "respond-async")
	if status != http.StatusAccepted {
		t.Fatalf("%d %s", status, body)
	}
	await.True(t, "the job to be done", func() bool {
		_, _, job := get(t, http.MethodGet, url+header.Get("Location"), secret, "")
		return strings.Contains(string(job), `"status":"succeeded"`)
	})
}

// resolved gives the environment with the test's stores in place of the file's, and with addresses of this machine's own.
func (s composed) resolved(t *testing.T, addresses map[string]string) map[string]string {
	env := map[string]string{"EINVOICED_DATA": os.TempDir()}
	for name, value := range s.Environment {
		env[name] = regexp.MustCompile(`\$\{\w+:-([^}]*)\}`).ReplaceAllString(value, "$1")
	}
	for name, value := range addresses {
		env[name] = value
	}
	env["EINVOICED_ADMIN_LISTEN"] = freeAddress(t)
	if s.Command[0] == "api" {
		env["EINVOICED_LISTEN"] = freeAddress(t)
	}
	return env
}

func environ(env map[string]string) []string {
	list := []string{asProgram + "=1"}
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	return list
}

// startRole starts a service as a process and waits until its health check passes.
func startRole(t *testing.T, name string, s composed, env map[string]string) {
	t.Helper()
	log := &lockedBuffer{}
	program := exec.Command(os.Args[0], s.Command...)
	program.Env, program.Stderr = append(os.Environ(), environ(env)...), log
	startProgram(t, program)
	if len(s.Healthcheck.Test) < 3 || s.Healthcheck.Test[0] != "CMD" || s.Healthcheck.Test[1] != "/einvoiced" {
		t.Fatalf("%s has no health check: %v", name, s.Healthcheck.Test)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s: %s", name, log)
		}
	})
	await.True(t, "the health of "+name, func() bool {
		check := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], s.Healthcheck.Test[2:]...)
		check.Env = append(os.Environ(), environ(env)...)
		return check.Run() == nil
	})
	if got, want := niceness(t, program.Process.Pid), nicenessOf(t, s.Command[0]); got != want {
		t.Errorf("%s has the niceness %d, want %d", name, got, want)
	}
}

// nicenessOf is what a role that this process starts should have: workers give way.
func nicenessOf(t *testing.T, role string) int {
	own := niceness(t, os.Getpid())
	if role == "worker" {
		return max(own, behindAnswers)
	}
	return own
}

func niceness(t *testing.T, pid int) int {
	t.Helper()
	inverse, err := syscall.Getpriority(syscall.PRIO_PROCESS, pid)
	if err != nil {
		t.Fatal(err)
	}
	return 20 - inverse
}
