package worker

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// niceness is that of the calling thread.
func niceness(t *testing.T) int {
	raw, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		t.Error(err)
	}
	return 20 - raw // the system call gives 40 to 1
}

// TestGiveWay_IsForTheRunAlone ensures that the thread of a run stands behind the others, and no thread besides.
func TestGiveWay_IsForTheRunAlone(t *testing.T) {
	done := make(chan int)
	go func() {
		giveWay()
		done <- niceness(t)
	}()
	if inside := <-done; inside != background {
		t.Errorf("the thread of the run has niceness %d, want %d", inside, background)
	}
	for range 50 { // on whatever threads these run
		go func() { done <- niceness(t) }()
	}
	for range 50 {
		if n := <-done; n == background {
			t.Error("another goroutine runs on a thread that stands behind")
		}
	}
}

// TestSpawn_GivesWayForManyBytes ensures that only what works on many bytes stands behind.
func TestSpawn_GivesWayForManyBytes(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		want  bool
	}{{quickInput + 1, true}, {quickInput, false}} {
		w := &Worker{}
		var nice int
		<-w.spawn(c.bytes, func() { nice = niceness(t) })
		if (nice == background) != c.want {
			t.Errorf("%+v: niceness %d", c, nice)
		}
		if w.room.runs != 0 {
			t.Errorf("%+v: %d runs have not left", c, w.room.runs)
		}
	}
}

// TestRoom_IsGivenBack ensures that each run has a processor more beside it while it is under way, and that none stays when all have ended.
func TestRoom_IsGivenBack(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	r := &room{}
	r.enter()
	r.enter()
	if n := runtime.GOMAXPROCS(0); n != before+2 {
		t.Errorf("two runs have %d processors, want %d", n, before+2)
	}
	r.leave()
	if n := runtime.GOMAXPROCS(0); n != before+1 {
		t.Errorf("the run that is left has %d processors, want %d", n, before+1)
	}
	r.leave()
	var runs sync.WaitGroup
	for range 16 {
		runs.Go(func() { r.enter(); r.leave() })
	}
	runs.Wait()
	if n := runtime.GOMAXPROCS(0); n != before {
		t.Errorf("after all runs there are %d processors, want %d", n, before)
	}
}
