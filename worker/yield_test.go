package worker

import (
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
