package queuetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/einvoiced/einvoiced/storage/queue"
)

// Real tells whether tests are to start Redis servers: EINVOICED_TEST_REDIS is set, and the program is there.
func Real() bool {
	if os.Getenv("EINVOICED_TEST_REDIS") == "" {
		return false
	}
	_, err := exec.LookPath("redis-server")
	return err == nil
}

// Server is a Redis server of the test's own, without persistence.
type Server struct {
	Port string
	Addr string // host:port

	busPort string // of a node of a cluster

	dir  string
	args []string
	cmd  *exec.Cmd
}

// Start starts a server with further arguments (--setting value) and ends it with the test.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	port := freePort(t)
	s := &Server{Port: port, Addr: net.JoinHostPort("127.0.0.1", port), dir: t.TempDir()}
	s.args = append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", s.dir, "--save", "", "--logfile", filepath.Join(s.dir, "log")}, args...)
	s.Restart(t)
	t.Cleanup(func() { s.Kill(t) })
	return s
}

// StartSentinel starts a sentinel of the settings and ends it with the test.
func StartSentinel(t testing.TB, settings ...string) *Server {
	t.Helper()
	port := freePort(t)
	s := &Server{Port: port, Addr: net.JoinHostPort("127.0.0.1", port), dir: t.TempDir()}
	file := filepath.Join(s.dir, "sentinel.conf")
	settings = append([]string{"port " + port, "bind 127.0.0.1", "dir " + s.dir, "logfile " + filepath.Join(s.dir, "log")}, settings...)
	if err := os.WriteFile(file, []byte(strings.Join(settings, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.args = []string{file, "--sentinel"}
	s.Restart(t)
	t.Cleanup(func() { s.Kill(t) })
	return s
}

// freePort gives a port that no connection going out gets in the meantime: those have numbers above 32767.
func freePort(t testing.TB) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(20000 + rand.IntN(12000))
		l, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return ""
}

// Restart starts the server, which does not run.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command("redis-server", s.args...)
	s.cmd.Stderr = os.Stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	Until(t, "the server to listen", func() bool {
		c, err := net.Dial("tcp", s.Addr)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
}

// Kill ends the server by SIGKILL; one that does not run is no error.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

// Do asks the server for something by a connection of its own.
func (s *Server) Do(t testing.TB, command ...any) any {
	t.Helper()
	c := redis.NewClient(&redis.Options{Addr: s.Addr})
	defer c.Close()
	answer, err := c.Do(context.WithoutCancel(t.Context()), command...).Result()
	if err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	return answer
}

// Single starts one server.
func Single(t *testing.T, args ...string) (Redis, *Server) {
	t.Helper()
	s := Start(t, args...)
	return Redis{Config: queue.Config{Redis: "redis://" + s.Addr}, Wipe: func(t *testing.T) { s.Do(t, "FLUSHALL") }}, s
}

// Sentinel starts a master, a replica that follows it and a sentinel that decides within a second.
func Sentinel(t *testing.T) (cfg Redis, master, replica *Server) {
	t.Helper()
	master = Start(t)
	replica = Start(t, "--replicaof", "127.0.0.1 "+master.Port)
	follows := func() bool {
		return strings.Contains(fmt.Sprint(replica.Do(t, "INFO", "replication")), "master_link_status:up")
	}
	Until(t, "the replica to follow", follows)
	sentinel := StartSentinel(t, "sentinel monitor jobs 127.0.0.1 "+master.Port+" 1",
		"sentinel down-after-milliseconds jobs 500", "sentinel failover-timeout jobs 3000")
	Until(t, "the sentinel to know the replica", func() bool {
		return strings.Contains(fmt.Sprint(sentinel.Do(t, "SENTINEL", "replicas", "jobs")), replica.Port)
	})
	wipe := func(t *testing.T) { master.Do(t, "FLUSHALL"); Until(t, "the replica to follow", follows) }
	return Redis{Config: queue.Config{Redis: "redis-sentinel://" + sentinel.Addr + "/jobs"}, Wipe: wipe}, master, replica
}

// Cluster starts three nodes that share the slots.
func Cluster(t *testing.T) (Redis, []*Server) {
	t.Helper()
	var nodes []*Server
	for range 3 {
		bus := freePort(t)
		n := Start(t, "--cluster-enabled", "yes", "--cluster-port", bus, "--cluster-node-timeout", "2000", "--cluster-require-full-coverage", "no")
		n.busPort = bus
		nodes = append(nodes, n)
	}
	for i, n := range nodes {
		n.Do(t, "CLUSTER", "SET-CONFIG-EPOCH", i+1)
		n.Do(t, "CLUSTER", "ADDSLOTSRANGE", i*16384/3, (i+1)*16384/3-1)
		n.Do(t, "CLUSTER", "MEET", "127.0.0.1", nodes[0].Port, nodes[0].busPort)
	}
	for _, n := range nodes {
		Until(t, "the cluster to be whole", func() bool {
			info := fmt.Sprint(n.Do(t, "CLUSTER", "INFO"))
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3") && strings.Contains(info, "cluster_slots_ok:16384")
		})
	}
	wipe := func(t *testing.T) {
		for _, n := range nodes {
			n.Do(t, "FLUSHALL")
		}
	}
	return Redis{Config: queue.Config{Redis: "redis-cluster://" + nodes[0].Addr + "," + nodes[1].Addr}, Wipe: wipe}, nodes
}
