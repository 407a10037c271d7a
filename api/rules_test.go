package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/einvoiced/einvoiced/job/answers"
)

// judged is what the tests look at in an answer of validate.
type judged struct {
	Valid    bool                                    `json:"valid"`
	Errors   []struct{ Code, Message, Field string } `json:"errors"`
	Warnings []struct{ Code, Message, Field string } `json:"warnings"`
}

// document reads one of our own documents.
func document(t testing.TB, name string) string {
	t.Helper()
	return string(must(os.ReadFile("../testdata/xrechnung-ubl/" + name + ".xml"))(t))
}

// TestRules_InParallel ensures that of many requests at a time those which are taken on are answered rightly, and that the
// others are told so: the last word on each document is the same however many come.
func TestRules_InParallel(t *testing.T) {
	f := newJudging(t, Config{MaxInflight: 8})
	good := document(t, "minimal")
	bad := strings.Replace(good, "<cbc:BuyerReference>", "<cbc:BuyerReference/><cbc:Other>", 1)
	bad = strings.Replace(bad, "</cbc:BuyerReference>", "</cbc:Other>", 1)
	var taken, turnedAway atomic.Int32
	var clients sync.WaitGroup
	for i := range 64 {
		clients.Go(func() {
			for range 10_000 / 64 {
				body, want := good, `{"valid":true,"errors":[]`
				if i%2 == 1 {
					body, want = bad, `{"valid":false,"errors":[{"code":"BR-DE-15"`
				}
				req := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/invoice/de/validate", strings.NewReader(body))
				req.Header = http.Header{"Authorization": {"Bearer " + f.keys["full"]}, "Content-Type": {"application/xml"}}
				w := httptest.NewRecorder()
				f.ServeHTTP(w, req)
				switch {
				case w.Code == 200 && strings.HasPrefix(w.Body.String(), want):
					taken.Add(1)
				case w.Code == 429 && strings.Contains(w.Body.String(), "RATE_LIMITED"):
					turnedAway.Add(1)
				default:
					t.Errorf("status %d: %.300s", w.Code, w.Body)
				}
			}
		})
	}
	clients.Wait()
	if taken.Load() == 0 || taken.Load()+turnedAway.Load() != 10_000/64*64 {
		t.Errorf("%d taken, %d turned away", taken.Load(), turnedAway.Load())
	}
}

// TestRules_ManyLines ensures that a document of 25,000 lines, each against a rule, has a short answer.
func TestRules_ManyLines(t *testing.T) {
	f := newJudging(t, Config{})
	head, rest, _ := strings.Cut(document(t, "minimal"), "<cac:InvoiceLine>")
	line := "<cac:InvoiceLine>" + strings.ReplaceAll(rest[:strings.Index(rest, "</Invoice>")], `unitCode="`, `unitCode="piece `)
	r := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/validate", head+strings.Repeat(line, 25_000)+"</Invoice>", "Content-Type", "application/xml")
	checkContract(t, "POST", "/api/v1/invoice/de/xrechnung/validate", r)
	var a judged
	unmarshal(t, r.body, &a)
	last := a.Warnings[len(a.Warnings)-1]
	if r.status != 200 || a.Valid || len(r.body) > 64<<10 || last.Code != "FINDINGS_OMITTED" || !strings.HasPrefix(last.Message, "24900 ") {
		t.Errorf("status %d, %d bytes: %.300s … %+v", r.status, len(r.body), r.body, last)
	}
	r = f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/validate", head+strings.Repeat(line, 25_001)+"</Invoice>", "Content-Type", "application/xml")
	checkContract(t, "POST", "/api/v1/invoice/de/xrechnung/validate", r)
	checkMatch(t, r.body, `{"error":"TOO_MANY_LINE_ITEMS","message":"…","code":"TOO_MANY_LINE_ITEMS","field":"data","errors":"…","lineItems":{"count":25001,"limit":25000}}`)
}

// TestRules_HugeValues ensures that values of a megabyte in what rules look at are judged, with a short answer.
func TestRules_HugeValues(t *testing.T) {
	f := newJudging(t, Config{})
	good := document(t, "minimal")
	huge := strings.Repeat("9", 1<<20)
	between := func(element, value string) string {
		before, rest, found := strings.Cut(good, "<"+element)
		start, after := strings.Index(rest, ">"), strings.Index(rest, "</"+element+">")
		if !found || start < 0 || after < 0 {
			t.Fatalf("no %s", element)
		}
		return before + "<" + element + rest[:start+1] + value + rest[after:]
	}
	for name, document := range map[string]string{
		"a VAT identifier": between("cbc:CompanyID", huge),
		"a date":           between("cbc:IssueDate", huge+"-01-01"),
		"an amount":        between("cbc:LineExtensionAmount", huge),
		"a reference":      between("cbc:BuyerReference", strings.Repeat("(a+)+", 1<<18)),
		"a note":           strings.Replace(good, "<cbc:InvoiceTypeCode>", "<cbc:Note>TRY-NUMBER "+huge+"</cbc:Note><cbc:InvoiceTypeCode>", 1),
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/api/v1/invoice/de/xrechnung/validate", "/api/v1/invoice/de/validate"} {
				r := f.ask(t, "full", "POST", path, fmt.Sprintf(`{"xml":%s}`, answers.JSON(document)))
				checkContract(t, "POST", path, r)
				if r.status != 200 || len(r.body) > 16<<10 {
					t.Errorf("%s: status %d, %d bytes: %.300s", path, r.status, len(r.body), r.body)
				}
			}
		})
	}
}

// TestRules_Inputs posts every input of testdata to the validate routes: the answer follows the description of the interface,
// and what generate refuses as no invoice is refused alike. On the route of the format, so is what generate refuses by rules.
func TestRules_Inputs(t *testing.T) {
	f := newJudging(t, Config{})
	for name, want := range inputAnswers(t) {
		t.Run(name, func(t *testing.T) {
			input := string(must(os.ReadFile("../testdata/xrechnung-ubl/" + name + ".json"))(t))
			made := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/generate?"+want.Query, input)
			for _, path := range []string{"/api/v1/invoice/de/xrechnung/validate", "/api/v1/invoice/de/validate"} {
				r := f.ask(t, "full", "POST", path+"?"+want.Query, input)
				checkContract(t, "POST", path, r)
				var a judged
				unmarshal(t, r.body, &a)
				alone := strings.Contains(path, "xrechnung") // without a format, rules that this test does not have judge other formats as well
				if r.status == 400 != (made.status == 400) || r.status == 200 && alone && a.Valid != (made.status == 200 && !strings.Contains(string(made.body), "SELF_CHECK_INCOMPLETE")) {
					t.Errorf("%s: status %d, generate has %d: %.300s", path, r.status, made.status, r.body)
				}
			}
		})
	}
}
