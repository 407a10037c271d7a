package job

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// echoes are kinds of a test: echo answers with its body, and a document of it; tell answers with the run that it knows.
func echoes() Kinds {
	none := func() any { return new(struct{}) }
	return Kinds{
		{Name: "echo", Parameters: none, Entitlement: ParseEntitlement, Attempts: 5, Isolation: Always,
			Run: func(_ context.Context, _ Run, o *Order) (*Outcome, error) {
				switch string(o.Body) {
				case "refuse":
					return nil, &finding.Refusal{Kind: finding.Unprocessable, Message: "no", Field: "data", Extra: []finding.Extra{{Name: "success", Value: false}}}
				case "fail":
					return nil, errors.New("secret")
				}
				answer := []byte(`{"x":"` + string(o.Body) + `","errors":[],"warnings":[]}`)
				document := &Document{Filename: "a.txt", MimeType: "text/plain", Hash: "230d8358dc8e8890b4c58deeb62912ee2f20357ae92a5cc861b98e68fe31acb5", Data: o.Body}
				return &Outcome{Answer: answer, Document: document, Clean: true, Events: []ledger.Event{{Type: "echoed"}}}, nil
			}},
		{Name: "tell", Parameters: none, Entitlement: CreateEntitlement, Run: func(_ context.Context, run Run, _ *Order) (*Outcome, error) {
			return &Outcome{Answer: answers.JSON(run)}, nil
		}},
	}
}

func newLocal(t *testing.T, kinds Kinds) *Local {
	t.Helper()
	registry, err := rulebook.NewRegistry(t.Context(), rulebook.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return NewLocal(kinds, registry, nil)
}

// TestRun_KnowsItsJob ensures that a kind is told the job and the number of the run, so that what it sends can bear a stable id.
func TestRun_KnowsItsJob(t *testing.T) {
	out, err := newLocal(t, echoes()).Run(t.Context(), RunOf(ledger.Job{ID: "job_1", Run: 3, Kind: "tell:de:ubl"}), ledger.Bytes("{}\n"))
	if want := `{"ID":"job_1","Number":3,"Kind":"tell:de:ubl","Account":""}`; err != nil || string(out.Answer.(ledger.Bytes)) != want {
		t.Errorf("%s, %v, want %s", out.Answer, err, want)
	}
}

// releasing notes that an output was released.
type releasing struct {
	Runner
	released int
}

func (r *releasing) Run(ctx context.Context, run Run, request ledger.Content) (ledger.Output, error) {
	output, err := r.Runner.Run(ctx, run, request)
	output.Release = func() { r.released++ }
	return output, err
}

// TestPerformBy_GivesWhatPerformGives ensures that an order which another process does has the same outcome as here, and that the
// process is let go.
func TestPerformBy_GivesWhatPerformGives(t *testing.T) {
	kinds := echoes()
	for _, body := range []string{"body", "refuse", "fail"} {
		runner := &releasing{Runner: newLocal(t, kinds)}
		near, far := &Order{Operation: "echo", Body: []byte(body)}, &Order{Operation: "echo", Body: []byte(body), Prepared: &prepared{}}
		want, refused := kinds.Perform(t.Context(), Run{}, near)
		got, err := PerformBy(t.Context(), runner, Run{Kind: far.Kind()}, far)
		if (want == nil) != (got == nil) {
			t.Errorf("%s: %+v, want %+v", body, got, want)
		}
		first, second := answers.RefusalOf(refused), answers.RefusalOf(err)
		if (err == nil) != (refused == nil) || !bytes.Equal(first.Body(), second.Body()) || runner.released != 1 || far.Prepared != nil {
			t.Errorf("%s: %v, want %v; released %d times", body, err, refused, runner.released)
		}
		if err == nil && (!got.Clean || got.Document.Hash != want.Document.Hash || !bytes.Equal(got.Answer, want.Answer) || len(got.Events) != 1) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

type prepared struct{}

func (*prepared) Release() {}

// TestKind_Entitlements ensures what an order takes before its answer tells more, and what the kinds tell workers.
func TestKind_Entitlements(t *testing.T) {
	kinds := echoes()
	echo := kinds.Find("echo")
	for got, want := range map[string]string{
		echo.Needs("de", "ubl"): "e-invoice:de:ubl:parse", echo.Needs("de", ""): "", echo.Some(""): "e-invoice:*:*:parse",
		kinds.Find("tell").Some("fr"): "e-invoice:fr:*:create", kinds.Find("tell").Needs("fr", "pdf"): "pdf:fr:generate",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if kinds.Attempts("echo:de:ubl") != 5 || kinds.Attempts("tell") != 0 || kinds.Isolation("echo") != Always || kinds.Isolation("tell:de:ubl") != Never {
		t.Error("what the kinds say is not told")
	}
}

// TestCounted ensures that each run counts once, by what came of it.
func TestCounted(t *testing.T) {
	registry := prometheus.NewRegistry()
	runner := Counted(newLocal(t, echoes()), NewCounter(registry))
	for _, body := range []string{"a", "a", "refuse", "fail"} {
		_, err := runner.Run(t.Context(), Run{Kind: "echo:de:ubl"}, ledger.Bytes("{}\n"+body))
		if (err != nil) != (body == "fail") {
			t.Errorf("%s: %v", body, err)
		}
	}
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || families[0].GetName() != "einvoiced_documents_total" {
		t.Fatalf("%v, %v", families, err)
	}
	got := map[string]float64{}
	for _, metric := range families[0].GetMetric() {
		labels := ""
		for _, l := range metric.GetLabel() {
			labels += l.GetName() + "=" + l.GetValue() + " "
		}
		got[labels] = metric.GetCounter().GetValue()
	}
	if want := map[string]float64{
		"country=de format=other operation=echo outcome=failed ": 1, "country=de format=ubl operation=echo outcome=ok ": 2,
		"country=de format=ubl operation=echo outcome=refused ": 1,
	}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLocal_TellsWhichRulebooksJudged ensures that the output of a run names the generation that it began with, also when others
// were put in its place meanwhile or it was refused, and none where none was asked.
func TestLocal_TellsWhichRulebooksJudged(t *testing.T) {
	registry, err := rulebook.NewRegistry(t.Context(), rulebook.Config{})
	if err != nil {
		t.Fatal(err)
	}
	registry.Renumber(7)
	judge := Kind{Name: "judge", Parameters: func() any { return new(struct{}) }, Run: func(ctx context.Context, _ Run, o *Order) (*Outcome, error) {
		if len(o.Body) == 0 {
			return &Outcome{}, nil
		}
		before := registry.In(ctx)
		registry.Renumber(before.Number + 1)
		if registry.In(ctx) != before {
			t.Error("the rulebooks change under the run")
		}
		if string(o.Body) == "refuse" {
			return nil, &finding.Refusal{Kind: finding.Unprocessable, Message: "no"}
		}
		return &Outcome{}, nil
	}}
	local := NewLocal(Kinds{judge}, registry, nil)
	for _, test := range []struct {
		body   string
		status int
		number int64
	}{{"judge", 200, 7}, {"refuse", 422, 8}, {"", 200, 0}} {
		out, err := local.Run(t.Context(), Run{Kind: "judge"}, ledger.Bytes("{}\n"+test.body))
		want := ledger.Rulebooks{}
		if test.number > 0 {
			want = ledger.Rulebooks{Number: test.number, Digest: registry.Current().Digest}
		}
		if err != nil || out.Status != test.status || out.Rulebooks != want {
			t.Errorf("%+v: status %d, rulebooks %+v, error %v", test, out.Status, out.Rulebooks, err)
		}
	}
}
