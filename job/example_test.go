package job_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
)

// A document is read at once, and once more as a job: the order is packed, kept, unpacked by a worker and done there. Both answers are the same.
func Example() {
	ctx := context.Background()
	service, err := operation.New(operation.Config{})
	if err != nil {
		log.Fatal(err)
	}
	all := kinds.All(service)
	order, err := all.Order("parse", "de", "xrechnung")
	if err != nil {
		log.Fatal(err)
	}
	if order.Body, err = os.ReadFile("../testdata/documents/basic-default.xml"); err != nil {
		log.Fatal(err)
	}
	kind := order.Kind() // with the packed order it is all that a job keeps
	packed, err := io.ReadAll(order.Pack())
	if err != nil {
		log.Fatal(err)
	}
	inline, err := all.Perform(ctx, job.Run{Kind: kind}, &order)
	if err != nil {
		log.Fatal(err) // a *finding.Refusal, where the document is to blame
	}

	again, err := all.Unpack(kind, packed)
	if err != nil {
		log.Fatal(err)
	}
	queued, err := all.Perform(ctx, job.Run{ID: "job_1", Number: 1, Kind: kind}, &again)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(kind, "takes", all.Find("parse").Needs("de", "xrechnung"))
	fmt.Println(bytes.Equal(inline.Answer, queued.Answer), bytes.Contains(queued.Answer, []byte(`"K 2026-0099"`))) // BT-1
	// Output:
	// parse:de:xrechnung takes e-invoice:de:xrechnung:parse
	// true true
}
