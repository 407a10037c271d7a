package block_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/pdf/block"
)

// looked is a context that counts how often it is asked whether it has ended, and ends at the last of so many times.
type looked struct {
	context.Context
	times, last int
}

func (l *looked) Err() error {
	if l.times++; l.times >= l.last {
		return context.Canceled
	}
	return nil
}

// TestRender_EndsWithinOneLargeText ensures that the time of one block of text is bounded too: while its placeholders are filled, and while its
// words are set.
func TestRender_EndsWithinOneLargeText(t *testing.T) {
	t.Parallel()
	const never, early = 1 << 30, 20
	for name, unit := range map[string]string{"placeholders": "{{a?}}", "words": "ab ", "lines": `a\n`} {
		render := func(n, last int) (int, error) {
			parsed, err := block.Parse(with(fmt.Sprintf(`{"type":"text","data":{"content":"x%s"}}`, strings.Repeat(unit, n))))
			if err != nil {
				t.Fatal(err)
			}
			ctx := &looked{t.Context(), 0, last}
			_, err = parsed.Render(ctx, input(t, []byte(`{}`)))
			return ctx.times, err
		}
		few, err := render(100, never)
		if err != nil {
			t.Fatal(name, err)
		}
		if many, err := render(50_000, never); err != nil || many < few+2*early {
			t.Errorf("%s: asked %d times, of few %d: %v", name, many, few, err)
		}
		if times, err := render(50_000, early); !errors.Is(err, context.Canceled) || times > 2*early {
			t.Errorf("%s: went on to be asked %d times: %v", name, times, err)
		}
	}
}
