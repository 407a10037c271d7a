package plan

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/storage/account"
)

const example = `
plans:
  free:
    lines: 25
    quotas:
      - {entitlement: "e-invoice:de:xrechnung:create", limit: unlimited}
      - {entitlement: "e-invoice:*:*:create", limit: 100}
      - {entitlement: "pdf:*:generate", limit: 0}
    rate: {perSecond: 5, burst: 10}
  enterprise: {}
`

// load reads a text that must be good.
func load(t testing.TB, text string) Set {
	t.Helper()
	set, err := Load([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestPlansAreReadAsTheyStand(t *testing.T) {
	set := load(t, example)
	free, ok := set.Plan("free")
	want := Plan{
		Lines:  25,
		Quotas: []Quota{{"e-invoice:de:xrechnung:create", Unlimited}, {"e-invoice:*:*:create", 100}, {"pdf:*:generate", 0}},
		Rate:   Rate{5, 10},
	}
	if diff := cmp.Diff(want, free); diff != "" || !ok {
		t.Errorf("free, known %t:\n%s", ok, diff)
	}
	for name, want := range map[string]bool{"free": true, "enterprise": true, "": true, "gold": false, "Free": false} {
		if got := set.Has(name); got != want {
			t.Errorf("Has(%q) = %t, want %t", name, got, want)
		}
	}
	if (Set{}).Has("free") || !(Set{}).Has("") {
		t.Error("the zero set must know the empty plan alone")
	}
}

func TestFirstQuotaThatCoversDecides(t *testing.T) {
	free, _ := load(t, example).Plan("free")
	for entitlement, want := range map[string]struct {
		units   int64
		limited bool
	}{
		"e-invoice:de:xrechnung:create": {Unlimited, false},
		"e-invoice:fr:facturx:create":   {100, true},
		"pdf:de:generate":               {0, true},
		"e-invoice:fr:facturx:parse":    {0, false},
	} {
		if units, limited := free.Limit(entitlement); units != want.units || limited != want.limited {
			t.Errorf("%s: %d, %t, want %d, %t", entitlement, units, limited, want.units, want.limited)
		}
	}
}

func TestLimitIsThatOfTheFirstCoveringPattern(t *testing.T) {
	segment := rapid.SampledFrom([]string{"*", "a", "b"})
	rapid.Check(t, func(t *rapid.T) {
		var p Plan
		for i, pattern := range rapid.SliceOfN(rapid.SliceOfN(segment, 2, 2), 0, 5).Draw(t, "patterns") {
			p.Quotas = append(p.Quotas, Quota{strings.Join(pattern, ":"), int64(i)})
		}
		needed := rapid.SampledFrom([]string{"a:a", "a:b", "b:a", "b:b", "a"}).Draw(t, "needed")
		units, limited := p.Limit(needed)
		for _, q := range p.Quotas {
			if account.Entitled([]string{q.Entitlement}, needed) {
				if units != q.Limit || !limited {
					t.Fatalf("%d, %t, want %d", units, limited, q.Limit)
				}
				return
			}
		}
		if limited {
			t.Fatalf("limited to %d by nothing", units)
		}
	})
}

func TestMistakesAreRefusedWithTheirPlace(t *testing.T) {
	quota := func(s string) string { return "plans:\n  free:\n    quotas:\n      - " + s + "\n" }
	for name, c := range map[string]struct{ text, says string }{
		"nothing":                 {"", "0 plans"},
		"no plans":                {"plans: {}", "0 plans"},
		"unknown member":          {"plans:\n  free:\n    line: 25\n", "line 3: field line not found"},
		"unknown member on top":   {"plan: {}\n", "line 1: field plan not found"},
		"unknown member of quota": {quota(`{entitlement: a, limit: 1, per: day}`), "line 4: member per"},
		"unknown member of rate":  {"plans:\n  free:\n    rate: {perSecond: 1, burst: 1, per: day}\n", "line 3: field per not found"},
		"plan twice":              {"plans:\n  free: {}\n  free: {}\n", "line 3"},
		"two documents":           {"plans: {free: {}}\n---\nplans: {}\n", "more than one document"},
		"name with capitals":      {"plans: {Free: {}}", `plan "Free": a name`},
		"negative lines":          {"plans: {free: {lines: -1}}", "line 1: -1 is not"},
		"fraction of a line":      {"plans: {free: {lines: 1.5}}", "line 1: 1.5 is not"},
		"too many lines":          {"plans: {free: {lines: 1000001}}", "lines is 1000001"},
		"malformed entitlement":   {quota(`{entitlement: "a::b", limit: 1}`), "quota 1: entitlement"},
		"no entitlement":          {quota(`{limit: 1}`), "quota 1: entitlement"},
		"no limit":                {quota(`{entitlement: a}`), "quota 1: limit is absent"},
		"null limit":              {quota(`{entitlement: a, limit: null}`), "quota 1: limit is absent"},
		"negative limit":          {quota(`{entitlement: a, limit: -1}`), "line 4: -1 is not"},
		"fractional limit":        {quota(`{entitlement: a, limit: 1.0}`), "line 4: 1.0 is not"},
		"limit of words":          {quota(`{entitlement: a, limit: many}`), "nor the word unlimited"},
		"limit in quotes":         {quota(`{entitlement: a, limit: "5"}`), "line 4: 5 is not"},
		"quota that is a list":    {quota(`[a, 1]`), "line 4"},
		"quota behind its cover":  {quota("{entitlement: '*:b', limit: 1}\n      - {entitlement: 'a:b', limit: 2}"), "quota 2: a:b never decides, for quota 1"},
		"rate without burst":      {"plans: {free: {rate: {perSecond: 5}}}", "perSecond and burst"},
		"huge":                    {strings.Repeat("#", maxFile+1), "more than"},
	} {
		if _, err := Load([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.says)
		}
	}
}

func TestAllMistakenPlansAreToldAtOnce(t *testing.T) {
	_, err := Load([]byte("plans: {b: {lines: 1000001}, a: {lines: 1000002}, c: {}}"))
	if err == nil || !strings.Contains(err.Error(), `plan "a"`) || !strings.Contains(err.Error(), `plan "b"`) || strings.Contains(err.Error(), `"c"`) {
		t.Fatalf("error %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte("plans: {a: {quotas: [{entitlement: '*', limit: unlimited}]}}"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := Load(text)
		if err != nil {
			return
		}
		for name, p := range set.plans {
			if checkName(name) != nil || p.Lines < 0 || len(p.Quotas) > maxQuotas {
				t.Errorf("accepted plan %q: %+v", name, p)
			}
			for _, q := range p.Quotas {
				if account.CheckPattern(q.Entitlement) != nil || q.Limit < Unlimited {
					t.Errorf("accepted quota %+v", q)
				}
			}
		}
	})
}

func BenchmarkLimit(b *testing.B) {
	var text bytes.Buffer
	text.WriteString("plans:\n  p:\n    quotas:\n")
	for i := range 20 {
		fmt.Fprintf(&text, "      - {entitlement: 'e-invoice:c%d:*:create', limit: 5}\n", i)
	}
	p, _ := load(b, text.String()).Plan("p")
	for b.Loop() {
		p.Limit("e-invoice:c19:xrechnung:create")
	}
}
