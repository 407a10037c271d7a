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

// TestRender_BoundsTheTextThatValuesMake ensures that small templates do not make gigabytes of a large value: within one text, and of all.
func TestRender_BoundsTheTextThatValuesMake(t *testing.T) {
	t.Parallel()
	data := []byte(`{"a":"` + strings.Repeat("ab ", 350_000) + `"}`)
	for name, c := range map[string]struct{ blocks, path, message string }{
		"one text":   {`{"type":"text","data":{"content":"` + strings.Repeat("{{a}}", 100_000) + `"}}`, "body.blocks[0].data.content", "8 MiB"},
		"many texts": {`{"type":"keyvalue","data":{"items":[` + strings.Repeat(`{"label":"l","value":"x{{a}}"},`, 40) + `{"label":"l","value":"v"}]}}`, "body.blocks[0].data.items[31].value", "32 MiB"},
	} {
		parsed, err := block.Parse(with(c.blocks))
		if err != nil {
			t.Fatal(err)
		}
		_, err = parsed.Render(t.Context(), input(t, data))
		var faults block.Faults
		if !errors.As(err, &faults) || faults[0].Path != c.path || !strings.Contains(faults[0].Message, c.message) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}
