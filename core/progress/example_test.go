package progress_test

import (
	"context"
	"fmt"

	"github.com/einvoiced/einvoiced/core/progress"
)

// Whoever waits puts a function into the context; a part of the work knows nothing of the whole.
func Example() {
	ctx := progress.With(context.Background(), func(percent int) { fmt.Println(percent, "%") })
	read := progress.Within(ctx, 0, 40)
	progress.Note(read, 50)
	progress.Note(read, 100)
	progress.Note(progress.Within(ctx, 40, 100), 50)
	// Output:
	// 20 %
	// 40 %
	// 70 %
}
