package queue

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"
)

// luaScripts are asynq's scripts, read from its source: the text of each by its SHA-1.
func luaScripts(t testing.TB) map[string]string {
	t.Helper()
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Dir}}", "github.com/hibiken/asynq").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "internal", "rdb", "rdb.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)redis\\.NewScript\\(`(.*?)`\\)").FindAllStringSubmatch(string(source), -1) {
		sum := sha1.Sum([]byte(m[1]))
		all[hex.EncodeToString(sum[:])] = m[1]
	}
	return all
}

func TestScriptsInGoAreThoseOfAsynq(t *testing.T) {
	all := luaScripts(t)
	for sha := range scripts {
		if all[sha] == "" {
			t.Errorf("asynq has no script %s any more: what it does now runs as Lua, slowly", sha)
		}
	}
}

// pair is two servers inside: on one the scripts run in Go, on the other as Lua.
type pair struct {
	in, lua    *inside
	goes, runs redis.UniversalClient
	text       map[string]string
}

func newPair(t testing.TB) *pair {
	p := &pair{in: startInside(), lua: startInside(), text: luaScripts(t)}
	client := func(in *inside) redis.UniversalClient {
		o := defaultOptions()
		o.Addrs, o.Dialer = []string{"inside"}, in.dial
		c := redis.NewUniversalClient(o)
		t.Cleanup(func() { c.Close(); in.close() })
		return c
	}
	p.goes, p.runs = client(p.in), client(p.lua)
	p.goes.AddHook(&hook{in: p.in})
	return p
}

// call calls the script on both and compares the answers.
func (p *pair) call(t *rapid.T, sha string, keys []string, args ...any) {
	ctx := context.Background()
	run := p.runs.Eval(ctx, p.text[sha], keys, args...)
	goes := p.goes.EvalSha(ctx, sha, keys, args...)
	if fmt.Sprint(run.Val()) != fmt.Sprint(goes.Val()) || errors.Is(run.Err(), redis.Nil) != errors.Is(goes.Err(), redis.Nil) || (run.Err() == nil) != (goes.Err() == nil) {
		t.Fatalf("%s %q %q: as Lua %v, error %v; in Go %v, error %v", sha, keys, args, run.Val(), run.Err(), goes.Val(), goes.Err())
	}
}

// state tells what a server holds, but for the order of what waits.
func state(server *miniredis.Miniredis) string {
	var all []string
	for _, key := range server.Keys() {
		value := ""
		switch server.Type(key) {
		case "list":
			list, _ := server.List(key)
			list = slices.Clone(list)
			slices.Sort(list)
			value = fmt.Sprint(list)
		case "zset":
			set, _ := server.SortedSet(key)
			value = fmt.Sprint(set)
		case "hash":
			fields, _ := server.HKeys(key)
			slices.Sort(fields)
			for _, f := range fields {
				value += f + "=" + server.HGet(key, f) + " "
			}
		default:
			value, _ = server.Get(key)
			value += fmt.Sprint(server.TTL(key) > 0)
		}
		all = append(all, key+": "+value)
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// TestScriptsInGoDoWhatTheyDoAsLua keeps at most one task waiting: what waits longer comes in another order.
func TestScriptsInGoDoWhatTheyDoAsLua(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	sha := map[string]string{}
	for s, script := range scripts {
		sha[fmt.Sprint(script.keys, script.args)] = s
	}
	enqueue, dequeue, done := sha["2 3"], sha["4 2"], sha["5 3"]
	const q = "asynq:{q}:"
	rapid.Check(t, func(t *rapid.T) {
		p.in.server.FlushAll()
		p.lua.server.FlushAll()
		both := func(do func(*miniredis.Miniredis)) { do(p.in.server); do(p.lua.server) }
		id := func() string { return rapid.SampledFrom([]string{"a:1", "b:1", "c:2"}).Draw(t, "id") }
		t.Repeat(map[string]func(*rapid.T){
			"enqueue": func(t *rapid.T) {
				if list, _ := p.in.server.List(q + "pending"); len(list) == 0 {
					id := id()
					p.call(t, enqueue, []string{q + "t:" + id, q + "pending"}, []byte("message "+id), id, 17)
				}
			},
			"dequeue": func(t *rapid.T) {
				p.call(t, dequeue, []string{q + "pending", q + "paused", q + "active", q + "lease"}, 1000, q+"t:")
			},
			"done": func(t *rapid.T) {
				id := id()
				p.call(t, done, []string{q + "active", q + "lease", q + "t:" + id, q + "processed:today", q + "processed"}, id, int64(4102444800), int64(1<<62))
			},
			"lose lease": func(t *rapid.T) { id := id(); both(func(m *miniredis.Miniredis) { _, _ = m.ZRem(q+"lease", id) }) },
			"lose task":  func(t *rapid.T) { id := id(); both(func(m *miniredis.Miniredis) { m.Del(q + "t:" + id) }) },
			"pause":      func(t *rapid.T) { both(func(m *miniredis.Miniredis) { _ = m.Set(q+"paused", "1") }) },
			"go on":      func(t *rapid.T) { both(func(m *miniredis.Miniredis) { m.Del(q + "paused") }) },
			"":           func(t *rapid.T) { compare(t, state(p.lua.server), state(p.in.server)) },
		})
	})
}

func compare(t *rapid.T, lua, goes string) {
	if lua != goes {
		t.Fatalf("as Lua:\n%s\nin Go:\n%s", lua, goes)
	}
}

func TestCallThatIsNotAsynqsRunsAsLua(t *testing.T) {
	var sha string
	for sha = range scripts {
		break
	}
	for _, command := range [][]any{{"evalsha", sha, 0}, {"evalsha", sha}, {"evalsha", "0", 2, "a", "b", "c", "d", "e"}, {"get", sha, 2}, {"evalsha", sha, 9, "x"}} {
		if _, ok := known(command); ok {
			t.Errorf("%v is taken for asynq's", command)
		}
	}
}

func TestConsumerWaitsForAMessageOfItsOwn(t *testing.T) {
	var b arrivals
	heard := b.heard()
	next := b.since(heard)
	if next == nil || b.since(heard) != next {
		t.Fatal("nothing to wait for")
	}
	b.note()
	<-next
	if b.since(heard) != nil {
		t.Error("waits for a message that has been")
	}
	if b.since(b.heard()) == nil {
		t.Error("does not wait for the next")
	}
}

// TestIdle_LooksAtMostSoOftenAndAtLeastSoSeldom ensures when a consumer that finds its queues empty looks again: when there is a message, but not sooner than
// least after the look before, and without one after most.
func TestIdle_LooksAtMostSoOftenAndAtLeastSoSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a arrivals
		w := &idle{arrivals: &a, queues: 2, least: 5 * time.Millisecond, most: 50 * time.Millisecond}
		began := time.Now()
		look := func(found bool, want time.Duration) {
			t.Helper()
			heard := a.heard()
			w.looked(found, heard)
			if took := time.Since(began); took != want {
				t.Errorf("after %s, not %s", took, want)
			}
			began = time.Now()
		}
		look(false, 0) // the second queue is not looked at yet
		look(false, 50*time.Millisecond)
		look(true, 0)
		look(false, 0)
		time.AfterFunc(20*time.Millisecond, a.note)
		look(false, 20*time.Millisecond)
		look(false, 0)
		time.AfterFunc(time.Millisecond, a.note)
		look(false, 5*time.Millisecond)
		look(false, 0)
		a.note() // between the looks at the two queues
		look(false, 5*time.Millisecond)
	})
}

// TestIdleHook_RestsAfterAFailure ensures that a consumer does not ask a server at once again that answers with errors, and goes on after other commands and
// what it gets.
func TestIdleHook_RestsAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &idleHook{idle: &idle{arrivals: &arrivals{}, queues: 1, most: 50 * time.Millisecond}}
		away := errors.New("connection refused")
		var take []any
		for sha, s := range scripts {
			if s.takes {
				take = append([]any{"evalsha", sha, s.keys}, make([]any, s.keys+s.args)...)
			}
		}
		for name, c := range map[string]struct {
			command []any
			err     error
			want    time.Duration
		}{
			"away":          {take, away, 50 * time.Millisecond},
			"empty":         {take, redis.Nil, 50 * time.Millisecond},
			"a message":     {take, nil, 0},
			"other command": {[]any{"get", "k"}, away, 0},
		} {
			began := time.Now()
			err := h.ProcessHook(func(context.Context, redis.Cmder) error { return c.err })(t.Context(), redis.NewCmd(t.Context(), c.command...))
			if took := time.Since(began); took != c.want || !errors.Is(err, c.err) {
				t.Errorf("%s: after %s, %v", name, took, err)
			}
		}
	})
}
