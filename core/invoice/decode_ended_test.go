package invoice

import (
	"errors"
	"strings"
	"testing"
)

// TestReadingStopsWhenItIsToldTo ensures that reading of a long list asks now and then whether it is to stop, stops there, and says why.
func TestReadingStopsWhenItIsToldTo(t *testing.T) {
	body := with(`"paymentMethods":[` + strings.Repeat(`{},`, 199) + `{}]`)
	for _, c := range []struct{ most, asked int }{{1, 1}, {3, 3}, {100, 200 / askedAfter}} {
		gone, asked := errors.New("the client has left"), 0
		inv, _, err := Decode(body, Options{Ended: func() error {
			if asked++; asked == c.most {
				return gone
			}
			return nil
		}})
		if asked != c.asked {
			t.Errorf("asked %d times, want %d", asked, c.asked)
		}
		if stopped := c.most == c.asked; stopped != errors.Is(err, gone) || stopped != (inv == nil) {
			t.Errorf("stopped at the question %d of %d: %v", c.most, asked, err)
		}
	}
}
