package harness

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Setup says how the program is spread over processes.
type Setup struct {
	Name   string
	Roles  []string // commands, one for each process
	Shared bool     // on PostgreSQL, Redis and S3; otherwise on a folder alone
}

// Embedded is one process on a folder, as on a laptop; Shared is many on shared services.
var (
	Embedded = Setup{Name: "embedded", Roles: []string{"serve"}}
	Shared   = Setup{Name: "shared", Shared: true, Roles: []string{
		"api", "api", "worker", "worker", "worker", "scheduler", "scheduler",
	}}
	Setups = []Setup{Embedded, Shared}
)

// Plan is how a system is to be opened.
type Plan struct {
	Setup
	Program  string            // path of the built program
	Keep     Persistence       // of Redis. Default: AppendOnly.
	Redis    []string          // further settings of redis-server
	Postgres []string          // further settings of PostgreSQL, name=value
	Data     string            // folder of the data. Default: one of the test.
	Env      map[string]string // further settings, by environment variable
	RedisVia func(t T, port string) string
}

// Role is one process of the program.
type Role struct {
	*Process
	Command string
	Base    string // http://host:port of the API; of api and serve alone
	Admin   string // http://host:port of the admin listener

	override map[string]string
}

// Override changes a setting of this role alone, from its next start on; empty takes it away.
func (r *Role) Override(name, value string) {
	if r.override == nil {
		r.override = map[string]string{}
	}
	r.override[name] = value
}

// settings gives the environment with the role's own changes.
func (r *Role) settings(env []string) []string {
	own := slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		_, changed := r.override[name]
		return changed
	})
	for name, value := range r.override {
		if value != "" {
			own = append(own, name+"="+value)
		}
	}
	return own
}

// System is a running set-up.
type System struct {
	Plan
	Roles    []*Role
	Redis    *Redis // of shared ones, as the next two
	Postgres *Postgres
	S3       *S3

	t   T
	env []string
}

// Open starts the services and the roles and waits until they are ready.
func Open(t T, p Plan) *System {
	t.Helper()
	h := Prepare(t, p)
	h.StartAll()
	return h
}

// Prepare starts the services and prepares the roles.
func Prepare(t T, p Plan) *System {
	t.Helper()
	if p.Keep == "" {
		p.Keep = AppendOnly
	}
	if p.Data == "" {
		p.Data = t.TempDir()
	}
	h := &System{Plan: p, t: t, env: append(os.Environ(), "EINVOICED_DATA="+p.Data)}
	if p.Shared {
		h.services()
	}
	for name, value := range p.Env {
		h.env = append(h.env, name+"="+value)
	}
	for i, command := range p.Setup.Roles {
		h.Roles = append(h.Roles, h.NewRole(fmt.Sprintf("%s-%d", command, i+1), command, p.Program))
	}
	return h
}

func (h *System) services() {
	h.t.Helper()
	h.Redis, h.Postgres, h.S3 = StartRedis(h.t, h.Keep, h.Plan.Redis...), StartPostgres(h.t, h.Plan.Postgres...), StartS3(h.t)
	redis := h.Redis.URL()
	if h.RedisVia != nil {
		redis = h.RedisVia(h.t, h.Redis.Port)
	}
	h.env = append(h.env, "EINVOICED_DATABASE="+h.Postgres.URL(), "EINVOICED_REDIS="+redis, "EINVOICED_S3="+h.S3.URL(),
		"EINVOICED_SECRET_KEY="+secretKey)
}

// secretKey is 32 bytes in base64.
const secretKey = "c3RhZ2Utc3RhZ2Utc3RhZ2Utc3RhZ2Utc3RhZ2Utc3Q="

// NewRole prepares a process of the system under ports of its own. Settings come by the environment, so that a command leaves out what
// it has no use for.
func (h *System) NewRole(name, command, program string) *Role {
	h.t.Helper()
	listen, admin := "127.0.0.1:"+freePort(h.t), "127.0.0.1:"+freePort(h.t)
	r := &Role{Command: command, Admin: "http://" + admin}
	if command == "serve" || command == "api" {
		r.Base = "http://" + listen
	}
	data := h.Data
	if h.Shared {
		data = h.t.TempDir() // as on a machine of its own
	}
	r.Process = NewProcess(h.t, name, func() *exec.Cmd {
		cmd := exec.Command(program, command)
		cmd.Env = r.settings(append(h.env[:len(h.env):len(h.env)], "EINVOICED_LISTEN="+listen, "EINVOICED_ADMIN_LISTEN="+admin, "EINVOICED_DATA="+data))
		cmd.Dir = data
		return cmd
	})
	return r
}

// Contained prepares the only role to be started by a shell script in namespaces of its own. The script finds the folder of the data in
// DATA.
func (h *System) Contained(shell, script string) *Role {
	h.t.Helper()
	r, inside := h.Roles[0], *h.Roles[0]
	inside.Process = NewProcess(h.t, "contained", func() *exec.Cmd {
		cmd := r.build()
		cmd.Args, cmd.Path = []string{shell, "-c", script}, shell
		cmd.Env = append(cmd.Env, "DATA="+h.Data)
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS, Unshareflags: syscall.CLONE_NEWNS}
		return cmd
	})
	return &inside
}

// Setenv changes a setting of the processes that are started from now on.
func (h *System) Setenv(name, value string) { h.env = append(h.env, name+"="+value) }

// StartAll starts the roles and waits until they are ready. The first goes ahead: it migrates.
func (h *System) StartAll() {
	h.t.Helper()
	for i, r := range h.Roles {
		r.Start()
		if i == 0 {
			r.Ready(h.t)
		}
	}
	for _, r := range h.Roles {
		r.Ready(h.t)
	}
}

// Ready waits until the process serves. The end of a process that was to serve ends the test.
func (r *Role) Ready(t T) {
	t.Helper()
	url := r.Admin + "/metrics"
	if r.Base != "" {
		url = r.Base + "/readyz"
	}
	Until(t, patience, r.Name+" is ready", func() bool {
		if !r.Alive() {
			t.Fatalf("%s has ended", r.Name)
		}
		return reached(url)
	})
}

func reached(url string) bool {
	res, err := http.Get(url)
	if err != nil {
		return false
	}
	return res.Body.Close() == nil && res.StatusCode == http.StatusOK
}

// Restart starts the process again and waits until it is ready.
func (r *Role) Restart(t T) {
	t.Helper()
	r.Start()
	r.Ready(t)
}

// of gives the roles of some commands.
func (h *System) of(commands ...string) []*Role {
	var some []*Role
	for _, r := range h.Roles {
		for _, command := range commands {
			if r.Command == command {
				some = append(some, r)
			}
		}
	}
	return some
}

// APIs are the processes that answer, Workers those that run jobs, Schedulers those that reconcile; serve is all of it.
func (h *System) APIs() []*Role { return h.of("serve", "api") }

// Workers are the processes that run jobs.
func (h *System) Workers() []*Role { return h.of("serve", "worker") }

// Bases are the addresses of the API.
func (h *System) Bases() []string {
	var bases []string
	for _, r := range h.APIs() {
		bases = append(bases, r.Base)
	}
	return bases
}

// Command runs a command of the program on the system's data to its end.
func (h *System) Command(args ...string) (output string, err error) {
	cmd := exec.CommandContext(h.t.Context(), h.Program, args...)
	cmd.Env, cmd.Dir = h.env, h.Data
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("einvoiced %s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out)), err
}

// everything is what the key of a test may do.
var everything = []string{"pdf:*:generate", "e-invoice:*:*:create", "e-invoice:*:*:parse"}

// administration is what a key of the account may do besides.
var administration = []string{"admin:keys", "admin:webhooks", "admin:usage", "admin:account"}

// NewKey makes a key of the mode (test or live) with further entitlements and gives its secret.
func (h *System) NewKey(mode string, more ...string) string {
	h.t.Helper()
	return h.newKey([]string{"--mode", mode}, more)
}

func (h *System) newKey(args, more []string) string {
	h.t.Helper()
	args = append([]string{"keys", "create"}, args...)
	for _, e := range append(append([]string{}, everything...), more...) {
		args = append(args, "--entitlement", e)
	}
	secret, err := h.Command(args...)
	if err != nil {
		h.t.Fatalf("make a key: %v", err)
	}
	return secret
}

// NewAccountKey makes another account, with changes as accounts update takes them, and a live key of it.
func (h *System) NewAccountKey(name string, changes ...string) string {
	h.t.Helper()
	account, err := h.Command("accounts", "create", name)
	if err == nil && len(changes) > 0 {
		_, err = h.Command(append([]string{"accounts", "update", account}, changes...)...)
	}
	if err != nil {
		h.t.Fatalf("make an account: %v", err)
	}
	return h.newKey([]string{"--mode", "live", "--account", account}, administration)
}

// Customer makes a live key that may do everything and gives a client with it.
func (h *System) Customer() *Client {
	h.t.Helper()
	return NewClient(h.t, h.NewKey("live", administration...), h.Bases()...)
}

// StopAll ends the roles as an operator does, and fails where one does not end well.
func (h *System) StopAll() {
	h.t.Helper()
	for _, r := range h.Roles {
		if r.Alive() {
			if code := r.Stop(30 * time.Second); code != 0 {
				h.t.Errorf("%s ended with %d", r.Name, code)
			}
		}
	}
}

// database is where the rows are: driver and name of the source.
func (h *System) database() (driver, source string) {
	if h.Shared {
		return "pgx", h.Postgres.URL()
	}
	return "sqlite3", "file:" + filepath.Join(h.Data, "einvoiced.db") + "?mode=ro&_busy_timeout=10000"
}
