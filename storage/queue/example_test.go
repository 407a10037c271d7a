package queue_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"

	"github.com/einvoiced/einvoiced/storage/queue"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// Messages say which job to look at. Two for the same run of a job are as good as one; the second job here ends the work.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	q, err := queue.Open(queue.Config{Logger: slog.New(slog.DiscardHandler)}) // in this process; Redis is named by an address
	if err != nil {
		log.Fatal(err)
	}
	defer q.Close()
	for _, job := range []string{"job_1", "job_1", "job_2"} {
		if _, err := q.Enqueue(ctx, names.Default, job, 1); err != nil {
			log.Fatal(err)
		}
	}
	err = q.Serve(ctx, queue.Consumer{Queues: map[string]int{names.Default: 1}, Concurrency: 1, Handle: func(_ context.Context, queue, subject string) {
		fmt.Println(queue, subject)
		if subject == "job_2" {
			stop()
		}
	}})
	fmt.Println(err)
	// Output:
	// default job_1
	// default job_2
	// <nil>
}
