package queue

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
)

func TestNamesAreRegisteredAnew(t *testing.T) {
	server := miniredis.RunT(t)
	q := open(t, Config{Redis: "redis://" + server.Addr(), Names: []string{"default", "other"}})
	for name, register := range map[string]func() error{
		"by the way of things": func() error { return q.tend(t.Context()) },
		"by the epoch":         func() error { _, err := q.Epoch(t.Context()); return err },
	} {
		mustEnqueue(t, q, "job_1", 1)
		server.FlushAll()
		mustEnqueue(t, q, "job_1", 1) // asynq believes that the name is there
		if err := register(); err != nil {
			t.Fatal(err)
		}
		names, err := q.inspector.Queues()
		slices.Sort(names)
		if err != nil || !slices.Equal(names, []string{"default", "other"}) {
			t.Errorf("%s: queues %q, error %v", name, names, err)
		}
	}
}

// take moves the message of job_1 into the hands of a worker that does not exist.
func take(t *testing.T, q *Queue, server *miniredis.Miniredis) (task string) {
	t.Helper()
	mustEnqueue(t, q, "job_1", 1)
	task = taskKey(message{"default", "job_1", 1})
	id, err := server.Pop("asynq:{default}:pending")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Push(activeKey("default"), id); err != nil {
		t.Fatal(err)
	}
	server.HSet(task, "state", "active")
	return task
}

func TestTaskWithoutALeaseGetsOne(t *testing.T) {
	server := miniredis.RunT(t)
	q := open(t, Config{Redis: "redis://" + server.Addr()})
	take(t, q, server)
	if !mustEnqueue(t, q, "job_1", 1) {
		t.Error("not held in the hands of a worker")
	}
	for range 2 { // the second time it has one
		if err := q.tend(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	until, err := server.ZScore(leaseKey("default"), "job_1:1")
	if left := time.Until(time.Unix(int64(until), 0)); err != nil || left <= 0 || left > leaseFor {
		t.Errorf("the lease runs for another %s, error %v", left, err)
	}
}

// TestMessageOfAWorkerThatDiedWithoutALeaseComesBack lets asynq do its part: it looks for leases that have run out when a consumer
// starts, and every 5 s for what comes back.
func TestMessageOfAWorkerThatDiedWithoutALeaseComesBack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		return
	}
	server := miniredis.RunT(t)
	q := open(t, Config{Redis: "redis://" + server.Addr()})
	take(t, q, server)
	if err := q.tend(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := server.ZAdd(leaseKey("default"), 1, "job_1:1"); err != nil { // long ago
		t.Fatal(err)
	}
	heard := make(chan string, 1)
	defer serve(t, q, 1, func(_ context.Context, subject string) { heard <- subject })()
	if got := <-heard; got != "job_1" {
		t.Errorf("heard %q", got)
	}
}

func TestMessageWhoseLeaseWentWhileItRanCanBeEnqueuedAgain(t *testing.T) {
	server := miniredis.RunT(t)
	q := open(t, Config{Redis: "redis://" + server.Addr()})
	begun, finish := make(chan string), make(chan struct{})
	defer serve(t, q, 1, func(_ context.Context, subject string) {
		begun <- subject
		<-finish
	})()
	mustEnqueue(t, q, "job_1", 1)
	<-begun
	server.Del(leaseKey("default"))
	finish <- struct{}{}
	for deadline := time.Now().Add(time.Minute); mustEnqueue(t, q, "job_1", 1); <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("its id is taken for ever")
		}
	}
	<-begun
	close(finish)
}

func TestArchivedMessageIsTaken(t *testing.T) {
	server := miniredis.RunT(t)
	q := open(t, Config{Redis: "redis://" + server.Addr()})
	server.HSet(taskKey(message{"default", "job_1", 1}), "state", "archived")
	if !mustEnqueue(t, q, "job_1", 1) {
		t.Error("it waits for nobody")
	}
}
