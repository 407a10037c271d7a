package db_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// server is a PostgreSQL server of the test's own.
type server struct {
	bin, dir, port string
	as             *syscall.Credential
}

// startServer starts one; nil without PostgreSQL on this machine.
func startServer(t *testing.T) *server {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 || os.Getenv(dbtest.Variable) == "" {
		return nil
	}
	s := &server{bin: filepath.Dir(found[len(found)-1]), port: freePort(t)}
	if s.dir, err = os.MkdirTemp("", "einvoiced-postgres-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(s.dir) })
	if os.Geteuid() == 0 { // the server refuses root
		s.as = credential(t)
		if err := os.Chown(s.dir, int(s.as.Uid), int(s.as.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	s.run(t, "initdb", "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C")
	s.start(t)
	t.Cleanup(func() { s.run(t, "pg_ctl", "-m", "immediate", "stop") })
	return s
}

func credential(t *testing.T) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatal(err)
	}
	uid, uidErr := strconv.ParseUint(u.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(u.Gid, 10, 32)
	if uidErr != nil || gidErr != nil {
		t.Fatal(uidErr, gidErr)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// run runs one of PostgreSQL's programs on the server's folder.
func (s *server) run(t *testing.T, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(s.bin, program), append([]string{"-D", filepath.Join(s.dir, "data")}, args...)...)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.as}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%s %q: %v\n%s", program, args, err, out)
	}
}

func (s *server) start(t *testing.T) {
	t.Helper()
	s.run(t, "pg_ctl", "-w", "-l", filepath.Join(s.dir, "log"), "-o",
		fmt.Sprintf("-k %s -c listen_addresses=127.0.0.1 -c port=%s -c fsync=off", s.dir, s.port), "start")
}

// TestRestartOfTheServerUnderLoadHealsByItself ensures that a server which is shut down and one that dies lose nothing that was
// acknowledged, repeat nothing, and fail no write if they come back soon.
func TestRestartOfTheServerUnderLoadHealsByItself(t *testing.T) {
	s := startServer(t)
	if s == nil {
		return
	}
	cfg := db.Config{URL: "postgres://postgres@127.0.0.1:" + s.port + "/postgres?sslmode=disable"}
	c := &cluster{DB: dbtest.Reopen(t, cfg)}
	c.direct = c.DB
	c.table(t)
	var restarting sync.Mutex
	modes := []string{"fast", "immediate", "immediate", "fast"}
	outcome := underLoad(t, c, 8, 50, 80, func() {
		restarting.Lock()
		defer restarting.Unlock()
		if len(modes) > 0 {
			s.run(t, "pg_ctl", "-w", "-m", modes[0], "stop")
			s.start(t)
			modes = modes[1:]
		}
	})
	outcome.check(t, c.DB)
	for id, err := range outcome.told {
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}
