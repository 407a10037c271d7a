package harness

import (
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/jmoiron/sqlx"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/redis/go-redis/v9"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of PostgreSQL
)

// Persistence is what a Redis server keeps on the disk.
type Persistence string

// The kinds of persistence.
const (
	AppendOnly Persistence = "append-only file"
	Snapshots  Persistence = "snapshots only"
)

// arguments of redis-server.
func (p Persistence) arguments() []string {
	if p == Snapshots {
		return []string{"--appendonly", "no", "--save", "3600 1 300 100 60 10000"}
	}
	return []string{"--appendonly", "yes", "--appendfsync", "everysec", "--save", ""}
}

// Redis is a Redis server of its own.
type Redis struct {
	*Process
	Port   string
	Client *redis.Client
}

// StartRedis starts a Redis server that takes further settings as redis-server does.
func StartRedis(t T, keep Persistence, settings ...string) *Redis {
	t.Helper()
	dir, port := t.TempDir(), freePort(t)
	args := append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", dir, "--daemonize", "no"}, keep.arguments()...)
	args = append(args, settings...)
	r := &Redis{
		Process: NewProcess(t, "redis", func() *exec.Cmd { return exec.Command("redis-server", args...) }),
		Port:    port, Client: redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port, DisableIdentity: true}),
	}
	t.Cleanup(func() { _ = r.Client.Close() })
	r.Start()
	return r
}

// Start begins a life and waits until the server answers.
func (r *Redis) Start() {
	r.t.Helper()
	r.Process.Start()
	Until(r.t, patience, "Redis answers", func() bool { return r.Client.Ping(context.Background()).Err() == nil })
}

// URL is what --redis takes.
func (r *Redis) URL() string { return "redis://127.0.0.1:" + r.Port + "/0" }

// Postgres is a PostgreSQL server of its own.
type Postgres struct {
	*Process
	Port string
}

// postgresBin is where Debian keeps the programs of its PostgreSQL.
const postgresBin = "/usr/lib/postgresql/15/bin"

// StartPostgres makes a cluster and starts its server with further settings, name=value. What is committed survives a kill; a power
// cut is not what is played.
func StartPostgres(t T, settings ...string) *Postgres {
	t.Helper()
	dir, port := t.TempDir(), freePort(t)
	as := &syscall.SysProcAttr{}
	if os.Getuid() == 0 { // the server refuses root
		as.Credential = ownedByPostgres(t, dir)
	}
	data := filepath.Join(dir, "data")
	initdb := exec.Command(filepath.Join(postgresBin, "initdb"), "-D", data, "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C")
	initdb.SysProcAttr, initdb.Dir = as, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	p := &Postgres{Port: port}
	p.Process = NewProcess(t, "postgres", func() *exec.Cmd {
		cmd := exec.Command(filepath.Join(postgresBin, "postgres"), "-D", data, "-k", dir, "-c", "listen_addresses=127.0.0.1", "-c", "port="+port,
			"-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=300")
		for _, setting := range settings {
			cmd.Args = append(cmd.Args, "-c", setting)
		}
		attributes := *as
		cmd.SysProcAttr, cmd.Dir = &attributes, dir
		return cmd
	})
	p.Start()
	return p
}

// ownedByPostgres gives the folder to the user of the server and lets him reach it.
func ownedByPostgres(t T, dir string) *syscall.Credential {
	t.Helper()
	who, err := user.Lookup("postgres")
	if err != nil {
		t.Fatalf("PostgreSQL refuses root and there is no user postgres: %v", err)
	}
	uid, _ := strconv.Atoi(who.Uid) // they are numbers on Linux
	gid, _ := strconv.Atoi(who.Gid)
	if err := os.Chown(dir, uid, gid); err != nil {
		t.Fatalf("give the folder to postgres: %v", err)
	}
	for up := filepath.Dir(dir); up != filepath.Dir(up) && up != os.TempDir(); up = filepath.Dir(up) {
		if err := os.Chmod(up, 0o711); err != nil {
			t.Fatalf("let postgres reach the folder: %v", err)
		}
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// Start begins a life and waits until the server answers.
func (p *Postgres) Start() {
	p.t.Helper()
	p.Process.Start()
	Until(p.t, patience, "PostgreSQL answers", func() bool {
		db, err := sqlx.Connect("pgx", p.URL())
		if err == nil {
			err = db.Close()
		}
		return err == nil
	})
}

// URL is what --database takes.
func (p *Postgres) URL() string {
	return "postgres://postgres@127.0.0.1:" + p.Port + "/postgres?sslmode=disable"
}

// S3 is an S3 server of its own, on a folder, with one bucket.
type S3 struct {
	*Process
	Port   string
	Dir    string // of the objects: BUCKET/KEY
	Client *minio.Client
}

// Bucket is the bucket of every test.
const Bucket = "einvoiced"

// StartS3 starts versitygw, which is looked for in the PATH and in the folder of the cache that .ci/run fills.
func StartS3(t T) *S3 {
	t.Helper()
	gateway, err := exec.LookPath("versitygw")
	if err != nil {
		cache, _ := os.UserCacheDir() // the start tells
		gateway = filepath.Join(cache, "einvoiced", "bin", "versitygw")
	}
	s := &S3{Port: freePort(t), Dir: t.TempDir()}
	s.Process = NewProcess(t, "versitygw", func() *exec.Cmd {
		cmd := exec.Command(gateway, "--port", "127.0.0.1:"+s.Port, "--region", "us-east-1", "-q", "posix", s.Dir)
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=testkey", "ROOT_SECRET_KEY=testsecret")
		return cmd
	})
	s.Client, err = minio.New("127.0.0.1:"+s.Port, &minio.Options{Creds: credentials.NewStaticV4("testkey", "testsecret", ""), Region: "us-east-1"})
	if err != nil {
		t.Fatalf("client of S3: %v", err)
	}
	s.Start()
	if err := s.Client.MakeBucket(t.Context(), Bucket, minio.MakeBucketOptions{Region: "us-east-1"}); err != nil {
		t.Fatalf("make bucket: %v", err)
	}
	return s
}

// Start begins a life and waits until the server listens.
func (s *S3) Start() {
	s.t.Helper()
	s.Process.Start()
	Until(s.t, patience, "S3 listens", func() bool {
		c, err := net.Dial("tcp", "127.0.0.1:"+s.Port)
		if err == nil {
			err = c.Close()
		}
		return err == nil
	})
}

// URL is what --s3 takes.
func (s *S3) URL() string {
	u := url.URL{Scheme: "http", User: url.UserPassword("testkey", "testsecret"), Host: "127.0.0.1:" + s.Port, Path: Bucket, RawQuery: "region=us-east-1"}
	return u.String()
}
