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
}

func startInside() (*inside, error) {
	in := &inside{server: miniredis.NewMiniRedis(), stop: make(chan struct{})}
	in.work.Go(in.age)
	return in, nil
}

func (in *inside) dial(context.Context, string, string) (net.Conn, error) { return in.server.Dial() }

// age lets keys expire: the server's time stands unless it is told to pass. Its own way of following the clock walks all
// keys with every command.
func (in *inside) age() {
	const step = time.Second
	tick := time.NewTicker(step)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			in.server.FastForward(step)
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
