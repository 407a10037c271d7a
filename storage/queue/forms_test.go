package queue_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/einvoiced/einvoiced/storage/queue"
	"github.com/einvoiced/einvoiced/storage/queue/queuetest"
)

func TestQueueInside(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, queuetest.Redis{})
}

func TestQueueOnAServer(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	queuetest.Run(t, queuetest.Redis{Config: queue.Config{Redis: "redis://" + server.Addr()}, Wipe: func(*testing.T) { server.FlushAll() }})
}

func TestQueueOnRealRedis(t *testing.T) {
	if !queuetest.Real() {
		return // .ci/run has it
	}
	redis, _ := queuetest.Single(t)
	queuetest.Run(t, redis)
}

func TestQueueOnSentinel(t *testing.T) {
	if !queuetest.Real() {
		return
	}
	redis, _, _ := queuetest.Sentinel(t)
	queuetest.Run(t, redis)
}

func TestQueueOnACluster(t *testing.T) {
	if !queuetest.Real() {
		return
	}
	redis, _ := queuetest.Cluster(t)
	queuetest.Run(t, redis)
}

func TestUserPasswordAndDatabaseAreObeyed(t *testing.T) {
	if !queuetest.Real() {
		return
	}
	_, server := queuetest.Single(t)
	server.Do(t, "ACL", "SETUSER", "arrivals", "on", ">p@ss/word", "~asynq:*", "~einvoiced:*", "&*", "-@all", "+@read", "+@write", "+@connection", "+@scripting", "+@transaction", "+@pubsub", "+info", "-keys")
	q := queuetest.Open(t, queue.Config{Redis: "redis://arrivals:p%40ss%2Fword@" + server.Addr + "/3"})
	queuetest.Enqueue(t, q, "default", "job_1", 1)
	if _, err := q.Epoch(t.Context()); err != nil {
		t.Error(err)
	}
	if err := q.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if info := fmt.Sprint(server.Do(t, "INFO", "keyspace")); !strings.Contains(info, "db3:") || strings.Contains(info, "db0:") {
		t.Errorf("the databases: %s", info)
	}
	warnings, err := q.Durability(t.Context())
	if err != nil || len(warnings) != 2 || !strings.Contains(warnings[0], "does not tell") {
		t.Errorf("warnings %q, error %v, of a user who may not ask", warnings, err)
	}
	other := queuetest.Open(t, queue.Config{Redis: "redis://arrivals:hush-hush@" + server.Addr})
	if _, err := other.Enqueue(t.Context(), "default", "job_1", 1); err == nil || strings.Contains(err.Error(), "hush-hush") {
		t.Errorf("with another password: error %v", err)
	}
}

// certificate makes one for 127.0.0.1 and gives the files of it and its key, and who trusts it.
func certificate(t *testing.T) (certFile, keyFile string, trust *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, der []byte) string {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", keyDER), &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

func TestTLSIsSpokenAndChecked(t *testing.T) {
	cert, key, trust := certificate(t)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	server := miniredis.NewMiniRedis()
	if err := server.StartTLS(&tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	queuetest.Enqueue(t, queuetest.Open(t, queue.Config{Redis: "rediss://" + server.Addr(), TLS: trust}), "default", "job_1", 1)
	doubting := queuetest.Open(t, queue.Config{Redis: "rediss://" + server.Addr()})
	if _, err := doubting.Enqueue(t.Context(), "default", "job_1", 1); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a server that nobody vouches for: error %v", err)
	}
	plain := queuetest.Open(t, queue.Config{Redis: "redis://" + server.Addr(), TLS: trust})
	if _, err := plain.Enqueue(t.Context(), "default", "job_1", 1); err == nil {
		t.Error("enqueued without TLS")
	}
}

func TestSettingsThatLoseMessagesAreWarnedOf(t *testing.T) {
	if !queuetest.Real() {
		return
	}
	for name, test := range map[string]struct {
		settings []string
		want     []string
	}{
		"as shipped": {nil, []string{"appendonly no"}},
		"as advised": {[]string{"--appendonly", "yes", "--maxmemory-policy", "noeviction"}, nil},
		"at worst":   {[]string{"--maxmemory-policy", "allkeys-lru"}, []string{"appendonly no", "maxmemory-policy allkeys-lru"}},
	} {
		redis, _ := queuetest.Single(t, test.settings...)
		got, err := queuetest.Open(t, redis.Config).Durability(t.Context())
		if err != nil || len(got) != len(test.want) {
			t.Errorf("%s: %q, error %v", name, got, err)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], test.want[i]) {
				t.Errorf("%s: %q, want %q", name, got[i], test.want[i])
			}
		}
	}
}

// BenchmarkEnqueueAndServe measures messages to a handler that does nothing, from the first message to the last handled, and
// BenchmarkAnswer the time from a message to the handler of an idle consumer.
func BenchmarkEnqueueAndServe(b *testing.B) { onBoth(b, benchEnqueueAndServe) }

func BenchmarkAnswer(b *testing.B) { onBoth(b, benchAnswer) }

// onBoth runs a benchmark inside and on a real server where there is one.
func onBoth(b *testing.B, bench func(*testing.B, queue.Config)) {
	b.Run("inside", func(b *testing.B) { bench(b, queue.Config{Poll: 100 * time.Millisecond}) })
	if queuetest.Real() {
		server := queuetest.Start(b, "--appendonly", "yes")
		b.Run("redis", func(b *testing.B) {
			server.Do(b, "FLUSHALL")
			bench(b, queue.Config{Redis: "redis://" + server.Addr, Poll: 100 * time.Millisecond})
		})
	}
}

func benchEnqueueAndServe(b *testing.B, cfg queue.Config) {
	q := queuetest.Open(b, cfg)
	var left, enqueueing sync.WaitGroup
	left.Add(b.N)
	defer queuetest.Serve(b, q, queue.Consumer{Concurrency: 8, Handle: func(context.Context, string, string) { left.Done() }})()
	var next atomic.Int64
	for range 4 {
		enqueueing.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				queuetest.Enqueue(b, q, "default", "job", i)
			}
		})
	}
	enqueueing.Wait()
	left.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

func benchAnswer(b *testing.B, cfg queue.Config) {
	q := queuetest.Open(b, cfg)
	heard := make(chan struct{})
	defer queuetest.Serve(b, q, queue.Consumer{Handle: func(context.Context, string, string) { heard <- struct{}{} }})()
	for i := range b.N {
		queuetest.Enqueue(b, q, "default", "job", int64(i))
		<-heard
	}
}
