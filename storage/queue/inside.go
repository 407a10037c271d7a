package queue

import (
	"context"
	"crypto/rand"
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// inside is the Redis server inside the process. It has no port: only this process can talk to it, over pipes in memory.
type inside struct {
	server *miniredis.Miniredis
	stop   chan struct{}
	work   sync.WaitGroup

	// scripts is held by a script that runs in Go (see scripts.go), so that the server runs no command in the midst of it.
	scripts  sync.RWMutex
	arrivals arrivals
}

func startInside() *inside {
	in := &inside{server: miniredis.NewMiniRedis(), stop: make(chan struct{})}
	in.work.Go(in.age)
	return in
}

func (in *inside) dial(context.Context, string, string) (net.Conn, error) { return in.server.Dial() }

// age lets keys expire, and forgets those that are gone: the server's time stands unless it is told to pass. Its own way of
// following the clock walks all keys with every command. Telling it walks all keys too, so with very many it is told less often:
// at most a fiftieth of the time goes into it.
func (in *inside) age() {
	last, pause := time.Now(), time.Second
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case now := <-timer.C:
			in.server.FastForward(now.Sub(last))
			forgetVersions(in.server)
			last, pause = now, max(time.Second, 50*time.Since(now))
			timer.Reset(pause)
		case <-in.stop:
			return
		}
	}
}

func (in *inside) close() {
	close(in.stop)
	in.work.Wait()
	in.server.Close()
}

// rand16 gives at least 16 random characters.
func rand16() string { return rand.Text() }
