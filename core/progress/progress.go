// Package progress tells whoever asked how far long work is. Work notes it as it goes along; where nobody asked, that costs a look into
// the context.
package progress

import "context"

// scale maps what a part of some work notes to the whole of it.
type scale struct {
	tell     func(percent int)
	from, to int
}

type key struct{}

// With gives a context in which tell hears how far the work is: percents, 0 to 100. Tell is called by whatever goroutine does the work,
// and must not block.
func With(ctx context.Context, tell func(percent int)) context.Context {
	return context.WithValue(ctx, key{}, scale{tell, 0, 100})
}

// Within gives a context for a part of the work, which begins and ends at percents of the whole.
func Within(ctx context.Context, from, to int) context.Context {
	s, ok := ctx.Value(key{}).(scale)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, key{}, scale{s.tell, s.at(from), s.at(to)})
}

// Note tells how far the work, or the part of it, is: percents, taken as 0 below and as 100 above.
func Note(ctx context.Context, percent int) {
	if s, ok := ctx.Value(key{}).(scale); ok {
		s.tell(s.at(percent))
	}
}

func (s scale) at(percent int) int { return s.from + (s.to-s.from)*min(max(percent, 0), 100)/100 }
