package kinds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/hybrid"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// service are the real operations, without rulebooks.
func service(t testing.TB) *operation.Service {
	t.Helper()
	s, err := operation.New(operation.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDetectedEntitlement ensures which entitlement covers a detected document.
func TestDetectedEntitlement(t *testing.T) {
	for id, token := range map[string]string{
		"XRECHNUNG_UBL": "xrechnung", "XRECHNUNG_CII": "xrechnung", "ZUGFERD_EN16931": "zugferd", "FACTURX_EXTENDED": "facturx", "PEPPOL_BIS_UBL": "ubl",
		"PINT_AE": "ubl", "CIUS_RO": "ubl", "HR_FISK": "hr-fisk", "EBINTERFACE_6_1": "ebinterface", "FATTURAPA": "fatturapa", "FACTURAE": "facturae",
		"ISDOC": "isdoc", "NAV": "nav", "MYDATA": "mydata", "KSEF_FA3": "ksef", "QR_BILL": "qr-bill", "UBL": "ubl", "CII": "cii",
	} {
		want := "e-invoice:*:" + token + ":parse"
		if got := detectedEntitlement(service(t), &operation.Detection{Format: id}); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	if got := detectedEntitlement(service(t), &operation.Detection{Format: "UBL"}); got != "e-invoice:*:ubl:parse" || account.Entitled([]string{"e-invoice:de:ubl:parse"}, got) {
		t.Errorf("without a country: %s", got)
	}
}

// TestJudgedEntitlement ensures whose format a document counts as.
func TestJudgedEntitlement(t *testing.T) {
	de := "DE"
	for want, d := range map[string]operation.Detection{
		"e-invoice:de:xrechnung:create": {Format: "XRECHNUNG_UBL", CountryCode: &de, CountrySource: "FORMAT_MAPPING"},
		"e-invoice:fr:ubl:create":       {Format: "UBL", CountryCode: &de, CountrySource: "DOCUMENT"},
		"e-invoice:fr:cii:create":       {Format: "CII", CountrySource: "UNKNOWN"},
		"e-invoice:fr:*:create":         {Format: "UNKNOWN", CountrySource: "UNKNOWN"},
	} {
		if got := judgedEntitlement(service(t), "fr", &d); got != want {
			t.Errorf("%s: %s, want %s", d.Format, got, want)
		}
	}
}

// TestInputsStayReadable ensures that orders lie in the inputs of jobs as they always have, and are read from there whatever their
// body is. Inputs outlive the program that accepted them.
func TestInputsStayReadable(t *testing.T) {
	all := All(service(t))
	for want, o := range map[string]job.Order{
		"{}\nbody":                      {Operation: "generate", Country: "de", Format: "xrechnung", Parameters: &GenerateParameters{}},
		`{"calculate":true}` + "\nbody": {Operation: "generate", Country: "de", Format: "xrechnung", Parameters: &GenerateParameters{Calculate: true}},
		`{"calculate":true,"carrier":2,"validate":true,"enforcePending":true}` + "\nbody": {Operation: "embed", Country: "de", Format: "zugferd",
			Parameters: &EmbedParameters{Calculate: true, Carrier: 2, Validate: true, EnforcePending: true}},
		`{"filename":"ä.xml"}` + "\nbody": {Operation: "parse", Parameters: &ParseParameters{Filename: "ä.xml"}},
		`{"filename":"a.xml","options":{"targetFormat":"zugferd","formatOptions":{"output":"xml"},"validate":false},"maxItems":7}` + "\nbody": {
			Operation: "convert", Country: "de", Format: "zugferd", Parameters: &ConvertParameters{Filename: "a.xml", MaxItems: 7,
				Options: invoice.ConvertBody{TargetFormat: "zugferd", FormatOptions: &invoice.FormatOptions{Output: "xml"}, Validate: new(bool)}}},
		`{"calculate":true,"filename":"a","document":true,"asOf":"2026-01-01","enforcePending":true,"formats":["ubl"],"maxItems":7}` + "\nbody": {
			Operation: "validate", Country: "fr", Parameters: &ValidateParameters{Calculate: true, Filename: "a", Document: true, AsOf: "2026-01-01",
				EnforcePending: true, Formats: []string{"ubl"}, MaxItems: 7}},
	} {
		o.Body = []byte("body")
		packed, err := io.ReadAll(o.Pack())
		if err != nil || string(packed) != want {
			t.Errorf("%s: packed as %s, want %s", o.Operation, packed, want)
		}
		got, err := all.Unpack(o.Kind(), packed)
		if err != nil || described(got) != described(o) {
			t.Errorf("%s became %s, %v", described(o), described(got), err)
		}
	}
}

// described is all of an order.
func described(o job.Order) string {
	return fmt.Sprintf("%s %s %q", o.Kind(), answers.JSON(o.Parameters), o.Body)
}

// TestOrder_PackAndUnpack ensures that a job gets the order that was accepted, whatever is in it.
func TestOrder_PackAndUnpack(t *testing.T) {
	all := All(service(t))
	rapid.Check(t, func(rt *rapid.T) {
		country, format := "", ""
		if rapid.Bool().Draw(rt, "explicit") {
			country, format = "de", "hr-fisk"
		}
		o, err := all.Order(rapid.SampledFrom([]string{"generate", "parse", "validate"}).Draw(rt, "operation"), country, format)
		if err != nil {
			rt.Fatal(err)
		}
		o.Body = rapid.SliceOf(rapid.Byte()).Draw(rt, "body")
		switch p := o.Parameters.(type) {
		case *GenerateParameters:
			p.Calculate = rapid.Bool().Draw(rt, "calculate")
		case *ParseParameters:
			p.Filename = strings.ToValidUTF8(rapid.String().Draw(rt, "filename"), "?")
		case *ValidateParameters:
			p.Document, p.AsOf = rapid.Bool().Draw(rt, "document"), strings.ToValidUTF8(rapid.String().Draw(rt, "day"), "?")
		}
		packed, err := io.ReadAll(o.Pack())
		if err != nil {
			rt.Fatal(err)
		}
		if got, err := all.Unpack(o.Kind(), packed); err != nil || described(got) != described(o) {
			rt.Fatalf("%s\n%s\n%v", described(o), described(got), err)
		}
	})
}

// FuzzUnpack ensures that no stored input makes a worker panic.
func FuzzUnpack(f *testing.F) {
	f.Add("generate:de:xrechnung", []byte("{}\nbody"))
	f.Add("::", []byte("{\"calculate\":1}\n"))
	all := All(service(f))
	f.Fuzz(func(t *testing.T, kind string, packed []byte) {
		if o, err := all.Unpack(kind, packed); err == nil && !bytes.HasSuffix(packed, o.Body) {
			t.Fatalf("body %q of %q", o.Body, packed)
		}
	})
}

// TestRunner_LeavesWhatIsNoOrder ensures that inputs which hold no order, and kinds that are unknown, are failures of the service.
func TestRunner_LeavesWhatIsNoOrder(t *testing.T) {
	registry, err := rulebook.NewRegistry(t.Context(), rulebook.Config{})
	if err != nil {
		t.Fatal(err)
	}
	runner := job.NewLocal(All(service(t)), registry, nil)
	for packed, kind := range map[string]string{"": "parse", "{}": "parse", "x\n": "parse", "[]\nbody": "parse", "{}\nbody": "unknown"} {
		if out, err := runner.Run(t.Context(), job.Run{Kind: kind}, ledger.Bytes(packed)); err == nil {
			t.Errorf("%q was taken for an order: %+v", packed, out)
		}
	}
}

// opening counts how often a document is opened, and whether by the run.
type opening struct {
	*operation.Service
	opened int
	given  *operation.Opened // by the run
}

func (o *opening) Open(ctx context.Context, document []byte) *operation.Opened {
	o.opened++
	return o.Service.Open(ctx, document)
}

func (o *opening) Parse(ctx context.Context, req operation.ParseRequest) (*operation.ParseAnswer, error) {
	o.given = req.Opened
	return o.Service.Parse(ctx, req)
}

// TestParse_OpensADocumentOnce ensures that the run of an automatic parse goes on with the document that told its charge, and answers
// as it would without.
func TestParse_OpensADocumentOnce(t *testing.T) {
	good, err := os.ReadFile("../../testdata/xrechnung-ubl/minimal.xml")
	if err != nil {
		t.Fatal(err)
	}
	for document, charge := range map[string]string{string(good): "e-invoice:de:xrechnung:parse", "<a/>": "", "no XML": "", "<Invoice": ""} {
		ops := &opening{Service: service(t)}
		all := All(ops)
		o, plain := job.Order{Operation: "parse", Body: []byte(document)}, job.Order{Operation: "parse", Body: []byte(document)}
		if got := all.Find("parse").Charge(t.Context(), &o); got != charge || ops.opened != 1 || o.Prepared == nil {
			t.Errorf("%.20q costs %q, opened %d times", document, got, ops.opened)
		}
		out, err := all.Perform(t.Context(), job.Run{}, &o)
		if ops.opened != 1 || ops.given == nil || o.Prepared != nil {
			t.Errorf("%.20q: opened %d times, handed on %t, kept %t", document, ops.opened, ops.given != nil, o.Prepared != nil)
		}
		want, refused := all.Perform(t.Context(), job.Run{}, &plain)
		if ops.given != nil || fmt.Sprint(err) != fmt.Sprint(refused) || out != nil && !bytes.Equal(out.Answer, want.Answer) {
			t.Errorf("%.20q: %v, want %v", document, err, refused)
		}
	}
}

// TestGenerate_KnowsCleanAnswers ensures that an answer tells whether its document is all there is to tell.
func TestGenerate_KnowsCleanAnswers(t *testing.T) {
	for calculated, warnings := range map[bool]string{false: "[]", true: `[{"code":"VALUE_CALCULATED"`} {
		all := All(answering{service(t)})
		out, err := all.Perform(t.Context(), job.Run{}, &job.Order{Operation: "generate", Parameters: &GenerateParameters{Calculate: calculated}})
		if err != nil || out.Clean == calculated || out.Clean != job.Clean(out.Answer) || !bytes.Contains(out.Answer, []byte(`"warnings":`+warnings)) {
			t.Errorf("clean: %v, but the answer is %s; %v", out.Clean, out.Answer, err)
		}
	}
	for answer, clean := range map[string]bool{
		`{"errors":[],"warnings":[]}`: true, `{"warnings":[],"data":"","errors":[]}`: true, `{"errors":[],"warnings":[],"conversionWarnings":[]}`: true,
		`{"errors":[],"warnings":[],"conversionWarnings":[{}]}`: false, `{"errors":[{}],"warnings":[]}`: false,
		`{"a":"\\\\","b":{"errors":[1]},"n":[1,{"c":"]}"}],"x":-1.5,"errors":[],"warnings":[]}`: true, `{"a":"\\\"","errors":[],"warnings":["b"]}`: false,
		`{"success":true}`: false, `{"errors`: false, `{"errors":[]`: false, `[]`: false, `{}`: false,
		`{"filename":"\"errors\":[],\"warnings\":[]}"}`: false, `{"errors":[],"warnings":[]`: false, ``: false,
	} {
		if job.Clean([]byte(answer)) != clean {
			t.Errorf("%s: clean is %t", answer, !clean)
		}
	}
}

// answering makes documents of nothing.
type answering struct{ *operation.Service }

func (answering) Generate(_ context.Context, req operation.GenerateRequest) (*operation.GenerateAnswer, error) {
	a := &operation.GenerateAnswer{Success: true}
	if req.Calculate {
		a.Warnings = append(a.Warnings, finding.Finding{Code: "VALUE_CALCULATED"})
	}
	return a, nil
}

// TestEmbed_KnowsWhatMayBeBare ensures which answers the PDF may stand for, and what header fields say then.
func TestEmbed_KnowsWhatMayBeBare(t *testing.T) {
	valid, invalid := true, false
	warned := func(code string) []finding.Finding { return []finding.Finding{{Code: code}} }
	for want, a := range map[string]operation.EmbedAnswer{
		"skipped true":   {},
		"passed true":    {Validation: &operation.Validation{Valid: &valid, Status: "passed"}},
		"skipped false":  {Warnings: warned(finding.ResultNotRechecked)},
		"no, a warning":  {Warnings: warned(finding.FieldNotWritten)},
		"no, of the PDF": {Carrier: hybrid.Carrier{Warnings: []hybrid.Warning{{Code: finding.CarrierFontsNotChecked}}}},
		"no, not judged": {Validation: &operation.Validation{Status: "not_run"}},
		"no, not passed": {Validation: &operation.Validation{Valid: &invalid, Status: "failed"}},
	} {
		a.PayloadHash, a.Data, a.EmbeddedXML = "abc", []byte("%PDF"), `"warnings":[1]`
		header, ok := bareHybrid(answers.JSON(a))
		if got := header["X-Validation-Status"] + " " + header["X-Result-Rechecked"]; ok == strings.HasPrefix(want, "no") || ok && (got != want || header["X-Payload-Hash"] != "abc") {
			t.Errorf("%s: %v, %t", want, header, ok)
		}
	}
	for _, text := range []string{"", "[]", "{", `{"warnings":1}`} {
		if _, ok := bareHybrid([]byte(text)); ok {
			t.Errorf("%q may be bare", text)
		}
	}
}

// TestEmbed_Orders ensures what an order costs, and that one whose carrier is longer than its body is a failure of the service.
func TestEmbed_Orders(t *testing.T) {
	all := All(service(t))
	kind := all.Find("embed")
	for validate, units := range map[bool]int{false: 1, true: 2} {
		o := &job.Order{Operation: "embed", Country: "de", Format: "zugferd", Parameters: &EmbedParameters{Validate: validate}}
		if kind.Charge(t.Context(), o) != "e-invoice:de:zugferd:create" || kind.Cost(o) != units {
			t.Errorf("validate %t costs %d", validate, kind.Cost(o))
		}
	}
	o := job.Order{Operation: "embed", Country: "de", Format: "zugferd", Body: []byte("{}"), Parameters: &EmbedParameters{Carrier: 3}}
	if _, err := all.Perform(t.Context(), job.Run{}, &o); err == nil {
		t.Error("a carrier that is not there was embedded into")
	}
}

// TestKinds_AreWhole ensures that every kind tells what the API and the workers ask of it, under a name of its own.
func TestKinds_AreWhole(t *testing.T) {
	all := All(service(t))
	for i, kind := range all {
		if all.Find(kind.Name) != &all[i] || strings.Contains(kind.Name, ":") || kind.Run == nil || kind.Parameters() == nil ||
			kind.Entitlement("de", "ubl") == "" || !kind.Inline && kind.Attempts < 0 {
			t.Errorf("%+v", kind)
		}
	}
	if _, err := all.Order("unknown", "", ""); err == nil || all.Isolation("unknown") != job.Never || all.Attempts("unknown") != 0 {
		t.Error("an unknown kind is known")
	}
	if _, err := all.Perform(t.Context(), job.Run{}, &job.Order{Operation: "unknown"}); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("an unknown kind was done: %v", err)
	}
}
