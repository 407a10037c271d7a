package queue_test

import (
	"testing"

	"github.com/alicebob/miniredis/v2"

	"einvoiced/storage/queue"
	"einvoiced/storage/queue/queuetest"
)

func TestQueueInside(t *testing.T) {
	queuetest.Run(t, queuetest.Redis{})
}

func TestQueueOnAServer(t *testing.T) {
	server := miniredis.RunT(t)
	queuetest.Run(t, queuetest.Redis{Config: queue.Config{Redis: "redis://" + server.Addr()}, Wipe: func(*testing.T) { server.FlushAll() }})
}
