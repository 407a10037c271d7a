package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	logging.Disable() // the client's own, to standard error
	goleak.VerifyTestMain(m)
}

func newLimiter(t testing.TB, cfg Config) *Limiter {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	l, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// client connects to a Redis server.
func client(t testing.TB, addr string) *redis.Client {
	t.Helper()
	c := redis.NewClient(&redis.Options{
		Addr: addr, MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	t.Cleanup(func() { c.Close() })
	return c
}

func allow(t testing.TB, l *Limiter, key string, rate Rate) Decision {
	t.Helper()
	d, err := l.Allow(t.Context(), key, rate)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestConfigIsChecked(t *testing.T) {
	for name, cfg := range map[string]Config{"timeout": {Timeout: -1}, "pause": {Pause: -1}, "keys": {Keys: -1}} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestBurstThenTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, rate := newLimiter(t, Config{}), Rate{PerSecond: 5, Burst: 10}
		for i := range 10 {
			d := allow(t, l, "key", rate)
			if full := time.Now().Add(time.Duration(i+1) * time.Second / 5); !d.Allowed || d.Limit != 10 || d.Remaining != 9-i || d.Reset.Sub(full).Abs() > time.Millisecond || !d.Retry.IsZero() {
				t.Errorf("number %d: %+v", i, d)
			}
		}
		d := allow(t, l, "key", rate)
		if d.Allowed || d.Remaining != 0 || time.Until(d.Retry).Round(time.Millisecond) != 200*time.Millisecond || time.Until(d.Reset).Round(time.Millisecond) != 2*time.Second {
			t.Errorf("after the burst: %+v, at %s", d, time.Now())
		}
		if !allow(t, l, "another", rate).Allowed {
			t.Error("one key pays for another")
		}
		time.Sleep(time.Until(d.Retry))
		if !allow(t, l, "key", rate).Allowed || allow(t, l, "key", rate).Allowed {
			t.Error("at the time that was told not exactly one is allowed")
		}
		time.Sleep(time.Hour)
		if d := allow(t, l, "key", rate); d.Remaining != 9 {
			t.Errorf("after an hour: %+v", d)
		}
	})
}

func TestRateWithoutALimitAndWithoutABurst(t *testing.T) {
	l := newLimiter(t, Config{})
	for range 100 {
		if d := allow(t, l, "key", Rate{}); !d.Allowed || d.Limit != 0 {
			t.Fatalf("no limit: %+v", d)
		}
	}
	if d := allow(t, l, "key", Rate{PerSecond: 3}); d.Limit != 3 || d.Remaining != 2 {
		t.Errorf("no burst: %+v", d)
	}
}

func TestChangedRateHoldsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t, Config{})
		for range 10 {
			allow(t, l, "key", Rate{PerSecond: 1, Burst: 10})
		}
		time.Sleep(2 * time.Second)
		if d := allow(t, l, "key", Rate{PerSecond: 100, Burst: 200}); !d.Allowed || d.Limit != 200 || d.Remaining > 2 {
			t.Errorf("raised: %+v", d)
		}
		if d := allow(t, l, "other", Rate{PerSecond: 1, Burst: 10}); d.Remaining != 9 {
			t.Errorf("before it is lowered: %+v", d)
		}
		if d := allow(t, l, "other", Rate{PerSecond: 1, Burst: 2}); d.Remaining > 1 {
			t.Errorf("lowered: %+v", d)
		}
	})
}

func TestOwnBucketsAreBounded(t *testing.T) {
	l, rate := newLimiter(t, Config{Keys: 100}), Rate{PerSecond: 1, Burst: 2}
	allow(t, l, "kept", rate)
	for i := range 10_000 {
		allow(t, l, fmt.Sprint(i), rate)
		if i%50 == 0 {
			allow(t, l, "kept", rate)
		}
	}
	if len(l.own.byKey) != 100 || l.own.order.Len() != 100 {
		t.Errorf("kept are %d and %d buckets", len(l.own.byKey), l.own.order.Len())
	}
	if allow(t, l, "kept", rate).Allowed {
		t.Error("a bucket in use was forgotten")
	}
}

func TestBucketNeverGivesMoreThanItMay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBuckets(10)
		r := Rate{PerSecond: rapid.IntRange(1, 100).Draw(t, "rate"), Burst: rapid.IntRange(1, 100).Draw(t, "burst")}
		begin := time.Unix(1_000_000, 0)
		now, allowed := begin, 0
		for _, step := range rapid.SliceOfN(rapid.IntRange(0, 500), 1, 300).Draw(t, "milliseconds") {
			now = now.Add(time.Duration(step) * time.Millisecond)
			d := b.take(now, "key", r)
			if d.Allowed {
				allowed++
			} else if d.Remaining > 0 || !d.Retry.After(now) {
				t.Fatalf("refused: %+v at %s", d, now)
			}
			if most := float64(r.Burst) + now.Sub(begin).Seconds()*float64(r.PerSecond); float64(allowed) > most+1e-6 {
				t.Fatalf("%d allowed, %f may be", allowed, most)
			}
			if d.Remaining < 0 || d.Remaining >= r.Burst || d.Reset.Before(now) {
				t.Fatalf("%+v at %s", d, now)
			}
		}
	})
}

// servers are the Redis servers to test with.
func servers(t *testing.T) map[string]string {
	all := map[string]string{"miniredis": miniredis.RunT(t).Addr()}
	if address := os.Getenv("EINVOICED_TEST_REDIS"); address != "" {
		o, err := redis.ParseURL(address)
		if err != nil {
			t.Fatal(err)
		}
		all["real"] = o.Addr
	}
	return all
}

func TestProcessesShareABucketInRedis(t *testing.T) {
	for name, addr := range servers(t) {
		one, other := newLimiter(t, Config{Redis: client(t, addr)}), newLimiter(t, Config{Redis: client(t, addr)})
		key, rate, allowed := fmt.Sprint("test-", time.Now().UnixNano()), Rate{PerSecond: 1, Burst: 20}, 0
		begin := time.Now()
		var last Decision
		for range 30 {
			for _, l := range []*Limiter{one, other} {
				last = allow(t, l, key, rate)
				if last.Limit != 20 || last.Reset.Before(begin) || last.Remaining > 19 {
					t.Errorf("%s: %+v", name, last)
				}
				if last.Allowed {
					allowed++
				}
			}
		}
		if most := 20 + int(time.Since(begin).Seconds()) + 1; allowed < 20 || allowed > most {
			t.Errorf("%s: %d allowed, 20 to %d may be", name, allowed, most)
		}
		if last.Allowed || !last.Retry.After(begin) {
			t.Errorf("%s: the last is %+v", name, last)
		}
	}
}

// hanging is a server that takes connections, counts them and says nothing.
func hanging(t *testing.T) (addr string, connections *atomic.Int64) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connections = new(atomic.Int64)
	var open []net.Conn
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			open = append(open, c)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
		for _, c := range open {
			c.Close()
		}
	})
	return l.Addr().String(), connections
}

func TestRedisThatIsAwayCostsOneRequestItsTimeAndNoneAnError(t *testing.T) {
	hung, connections := hanging(t)
	var log strings.Builder
	for _, addr := range []string{"127.0.0.1:1", hung} {
		l := newLimiter(t, Config{Redis: client(t, addr), Timeout: 20 * time.Millisecond, Pause: time.Hour, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		rate, allowed := Rate{PerSecond: 100, Burst: 50}, 0
		begin := time.Now()
		for range 1000 {
			if allow(t, l, "key", rate).Allowed {
				allowed++
			}
		}
		if most := 50 + 100*time.Since(begin).Seconds(); allowed < 50 || float64(allowed) > math.Ceil(most*1.2) {
			t.Errorf("%s: %d allowed, about %.0f may be", addr, allowed, most)
		}
	}
	if n := connections.Load(); n > 2 {
		t.Errorf("%d connections to a server that hangs", n)
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 2 {
		t.Errorf("told %d times: %s", n, log.String())
	}
}

func TestRedisThatComesBackIsUsedAgain(t *testing.T) {
	server := miniredis.RunT(t)
	l, rate := newLimiter(t, Config{Redis: client(t, server.Addr()), Pause: time.Nanosecond}), Rate{PerSecond: 1, Burst: 5}
	allow(t, l, "key", rate)
	server.Close()
	if d := allow(t, l, "key", rate); !d.Allowed || d.Remaining != 4 {
		t.Errorf("by itself: %+v", d)
	}
	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); l.away.Load() != 0; { // until it has answered
		allow(t, l, "other", rate)
		if time.Now().After(deadline) {
			t.Fatal("it is left alone for ever")
		}
	}
	if d := allow(t, l, "key", rate); d.Remaining != 3 {
		t.Errorf("after one that Redis knows of: %+v", d)
	}
}

func TestOneRequestAsksWhetherRedisIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(t, Config{})
		l.leaveAlone(errors.New("away"))
		if l.reachable(time.Now()) {
			t.Error("asked at once")
		}
		time.Sleep(2 * time.Second)
		var asking atomic.Int64
		var callers sync.WaitGroup
		for range 50 {
			callers.Go(func() {
				if l.reachable(time.Now()) {
					asking.Add(1)
				}
			})
		}
		callers.Wait()
		if asking.Load() != 1 {
			t.Errorf("%d ask", asking.Load())
		}
	})
}

func TestEndedContextIsAnErrorAndNoSignOfRedis(t *testing.T) {
	hung, _ := hanging(t)
	l := newLimiter(t, Config{Redis: client(t, hung), Timeout: time.Minute})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := l.Allow(ctx, "key", Rate{PerSecond: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want DeadlineExceeded", err)
	}
	if _, err := l.Allow(ctx, "key", Rate{PerSecond: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want DeadlineExceeded", err)
	}
	if l.away.Load() != 0 {
		t.Error("Redis is left alone because a caller gave up")
	}
}

func BenchmarkOwn(b *testing.B) {
	l := newLimiter(b, Config{})
	for i := 0; b.Loop(); i++ {
		allow(b, l, fmt.Sprint("key", i%1000), Rate{PerSecond: 1000, Burst: 1000})
	}
}

func BenchmarkRedis(b *testing.B) {
	l := newLimiter(b, Config{Redis: client(b, miniredis.RunT(b).Addr())})
	for b.Loop() {
		allow(b, l, "key", Rate{PerSecond: 1000, Burst: 1000})
	}
}
