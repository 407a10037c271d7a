package await

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// impatient is a test whose end is noted.
type impatient struct {
	testing.TB
	ended string
}

func (*impatient) Helper() {}

func (i *impatient) Fatalf(format string, args ...any) {
	i.ended = fmt.Sprintf(format, args...)
	panic(i)
}

func TestTrue_GivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, test := time.Now(), &impatient{}
		func() {
			defer func() { recover() }()
			True(test, "pigs fly", func() bool { return false })
		}()
		if test.ended != "never: pigs fly" || time.Since(begin) != Patience {
			t.Errorf("%q after %s", test.ended, time.Since(begin))
		}
	})
}

func TestTrue_AsksUntilItHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		True(t, "asked three times", func() bool { asked++; return asked == 3 })
		if asked != 3 {
			t.Errorf("asked %d times", asked)
		}
	})
}

func TestBuffer_TakesManyWriters(t *testing.T) {
	var b Buffer
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 10 {
				if n, err := b.Write([]byte("line\n")); n != 5 || err != nil {
					t.Error(n, err)
				}
				_ = b.String()
			}
		})
	}
	writers.Wait()
	b.Discard()
	if n, err := b.Write([]byte("dropped")); n != 7 || err != nil {
		t.Error(n, err)
	}
	if b.String() != strings.Repeat("line\n", 80) {
		t.Errorf("%q", b.String())
	}
}
