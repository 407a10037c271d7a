package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/internal/harness"
)

func TestSpeedTable_ComparesWithBareAsynqOfTheSameSetUp(t *testing.T) {
	got := speedTable([]speed{
		{"embedded", "bare asynq", 1000, time.Second, nil}, {"embedded", "einvoiced", 1000, 2 * time.Second, effort{"serve": 3 * time.Millisecond}},
		{"shared", "bare asynq", 1000, 2 * time.Second, nil}, {"shared", "einvoiced", 1000, 8 * time.Second, effort{"api": 2500 * time.Microsecond, "worker": 3 * time.Millisecond, "postgres": time.Millisecond}},
	})
	want := `set-up    what        jobs  seconds  jobs/s  of bare asynq  CPU a job
embedded  bare asynq  1000  1.00     1000    100 %          -
embedded  einvoiced   1000  2.00     500     50 %           3.0 ms
shared    bare asynq  1000  2.00     500     100 %          -
shared    einvoiced   1000  8.00     125     25 %           5.5 ms
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWaitTable_ComparesWithTheFirstOfTheSameSetUp(t *testing.T) {
	ms := time.Millisecond
	got := waitTable([]wait{{"shared", "alone", 100, ms, 4 * ms, 9 * ms, 0}, {"shared", "beside", 100, 2 * ms, 6 * ms, 12 * ms, 3}})
	lines := strings.Split(got, "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[1], " 1.00          0") || !strings.HasSuffix(lines[2], " 1.50          3") {
		t.Errorf("%s", got)
	}
}

func TestParseOptions_RefusesNonsense(t *testing.T) {
	for _, args := range [][]string{{"-setups", "cloud"}, {"-jobs", "0"}, {"-callers", "0"}, {"-batch", "5000"}, {"-nonsense"}} {
		if _, err := parseOptions(args); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
	o, err := parseOptions([]string{"-setups", "shared", "-jobs", "5"})
	if err != nil || len(o.setups) != 1 || !o.setups[0].Shared || o.jobs != 5 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestLongInvoice_HasItsLinesAndTotals(t *testing.T) {
	var body struct {
		Invoice struct {
			Items           []struct{ NetAmount, TaxAmount json.Number }
			Subtotal, Total json.Number
			TaxSummary      []struct{ NetAmount, TaxAmount json.Number }
		}
	}
	if err := json.Unmarshal(longInvoice(25), &body); err != nil {
		t.Fatal(err)
	}
	i := body.Invoice
	if len(i.Items) != 25 || i.Subtotal != "250" || i.Total != "297.5" || i.TaxSummary[0].TaxAmount != "47.5" {
		t.Errorf("%d items, %+v", len(i.Items), i)
	}
}

func TestBatchOf_RepeatsTheOrder(t *testing.T) {
	var batch struct {
		Operations []struct {
			Method, Path string
			Body         json.RawMessage
		}
	}
	if err := json.Unmarshal(batchOf(harness.Order{Path: "/p", Body: []byte(`{"a":1}`)}, 3), &batch); err != nil {
		t.Fatal(err)
	}
	if len(batch.Operations) != 3 || batch.Operations[2].Path != "/p" || string(batch.Operations[2].Body) != `{"a":1}` {
		t.Errorf("%+v", batch)
	}
}

func TestOnStage_EndsWithTheFirstFatalFailureAndCleansUp(t *testing.T) {
	var steps []string
	err := measured(context.Background(), func(t *measurement) {
		t.Cleanup(func() { steps = append(steps, "first") })
		t.Cleanup(func() { steps = append(steps, "second") })
		t.Errorf("a %s", "fault")
		t.Fatalf("the end")
		steps = append(steps, "never")
	})
	if err == nil || err.Error() != "a fault\nthe end" {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"second", "first"}, steps); diff != "" {
		t.Error(diff)
	}
}

func TestBeside_DoesEachOnce(t *testing.T) {
	done := make([]int, 100)
	beside(7, len(done), func(i int) { done[i]++ })
	for i, n := range done {
		if n != 1 {
			t.Errorf("%d was done %d times", i, n)
		}
	}
}
