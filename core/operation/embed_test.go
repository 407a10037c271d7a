package operation

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/hybrid"
	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// embedRequest asks for one line in a small PDF, by ZUGFeRD.
func embedRequest() EmbedRequest {
	return EmbedRequest{Country: "DE", Format: "ZUGFERD", Carrier: pdfmaker.PDF{}.Bytes(), Body: generateRequest(1)}
}

// codesOf lists the codes of warnings about a carrier.
func codesOf(warnings []hybrid.Warning) (list []string) {
	for _, w := range warnings {
		list = append(list, w.Code)
	}
	return list
}

// TestEmbed_GivesTheInvoiceInTheCarrier ensures that the answer has the PDF with the bytes of the carrier in front and the XML inside, and
// tells what was done.
func TestEmbed_GivesTheInvoiceInTheCarrier(t *testing.T) {
	s, req := newService(t), embedRequest()
	a, err := s.Embed(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	inside, err := Extract(t.Context(), a.Data)
	if err != nil || string(inside.XML) != a.EmbeddedXML || inside.Name != "factur-x.xml" || !bytes.HasPrefix(a.Data, req.Carrier) {
		t.Fatalf("%v, %+v", err, inside)
	}
	if a.Filename != "B-1-zugferd.pdf" || a.MimeType != "application/pdf" || a.AppliedFormatOptions != (AppliedFormatOptions{"2.4", "EN16931"}) || !a.Carrier.PDFA3Declared ||
		len(a.Carrier.Checks) == 0 || a.Validation != nil || !slices.Equal(codesOf(a.Carrier.Warnings), []string{finding.CarrierFontsNotEmbedded}) {
		t.Errorf("%+v", a.Carrier)
	}
	if !bytes.Contains(a.Data, []byte("D:20260302000000Z")) {
		t.Error("the embedded file does not bear the date of the invoice")
	}
	again, err := s.Embed(t.Context(), req)
	if err != nil || again.Hash != a.Hash {
		t.Errorf("%v: other bytes of the same request", err)
	}
}

// TestEmbed_Validation ensures that a verdict is given where it was asked for, that it is null where nothing could judge, and that an
// invoice which breaks a rule is refused then, and embedded otherwise.
func TestEmbed_Validation(t *testing.T) {
	req := embedRequest()
	req.Validate = true
	a, err := newService(t).Embed(t.Context(), req)
	if err != nil || a.Validation == nil || a.Validation.Valid != nil || a.Validation.Status != "not_run" || a.Validation.Reason != "missing" {
		t.Fatalf("%v, %+v", err, a)
	}
	judging := shippedService(t, "2026-03-02")
	if a, err = judging.Embed(t.Context(), req); err != nil || a.Validation == nil || a.Validation.Valid == nil || !*a.Validation.Valid || a.Validation.Status != "passed" ||
		len(a.Rulebooks) == 0 || len(a.Validation.Results) != 1 {
		t.Fatalf("%v, %+v", err, a)
	}
	req.Body = bytes.Replace(req.Body, []byte(`"subtotal":10.00,"total":11.90`), []byte(`"subtotal":11.00,"total":12.90`), 1)
	_, err = judging.Embed(t.Context(), req)
	r, ok := errors.AsType[*finding.Refusal](err)
	if !ok || r.Kind != finding.Unprocessable || len(r.Errors) == 0 || !slices.ContainsFunc(r.Extra, func(e finding.Extra) bool { return e.Name == "validation" }) {
		t.Errorf("%v", err)
	}
	req.Validate = false
	if _, err = judging.Embed(t.Context(), req); err != nil {
		t.Errorf("what is not to be judged was refused: %v", err)
	}
}

// TestEmbed_Refuses ensures that what cannot be embedded, or into what nothing can be, is refused with its reason and field.
func TestEmbed_Refuses(t *testing.T) {
	with := func(members string) []byte {
		return append(bytes.TrimSuffix(bytes.TrimSpace(generateRequest(1)), []byte("}")), ","+members+"}"...)
	}
	for _, test := range []struct {
		name   string
		change func(*EmbedRequest)
		kind   finding.Kind
		field  string
		says   string
	}{
		{"no PDF", func(r *EmbedRequest) { r.Carrier = []byte("text") }, finding.BadRequest, "pdf", "is no PDF"},
		{"an empty PDF", func(r *EmbedRequest) { r.Carrier = []byte("%PDF-1.7\n") }, finding.Unprocessable, "pdf", "no document catalog"},
		{"a template", func(r *EmbedRequest) { r.Body = with(`"templateId":"6b1f"`) }, finding.BadRequest, "templateId", "not taken"},
		{"an inline template", func(r *EmbedRequest) { r.Body = with(`"formatOptions":{"template":{}}`) }, finding.BadRequest, "formatOptions.template", "not taken"},
		{"an output", func(r *EmbedRequest) { r.Body = with(`"formatOptions":{"output":"xml"}`) }, finding.BadRequest, "formatOptions.output", "not taken"},
		{"a version", func(r *EmbedRequest) { r.Body = with(`"formatOptions":{"version":"9"}`) }, finding.BadRequest, "formatOptions.version", "2.4"},
		{"a profile that is retired", func(r *EmbedRequest) { r.Body = with(`"formatOptions":{"profile":"MINIMUM"}`) }, finding.BadRequest, "formatOptions.profile", "BASIC"},
		{"another format", func(r *EmbedRequest) { r.Format = "xrechnung" }, finding.BadRequest, "format", "not embedded"},
		{"no invoice", func(r *EmbedRequest) { r.Body = []byte(`{}`) }, finding.BadRequest, "invoice", "required"},
	} {
		req := embedRequest()
		test.change(&req)
		_, err := newService(t).Embed(t.Context(), req)
		r, ok := errors.AsType[*finding.Refusal](err)
		if !ok || r.Kind != test.kind || r.Field != test.field || !strings.Contains(r.Message, test.says) {
			t.Errorf("%s: %v, %+v", test.name, err, r)
		}
	}
}

// TestEmbed_Carriers ensures what is warned of signed, certified, damaged and long carriers.
func TestEmbed_Carriers(t *testing.T) {
	sound := pdfmaker.PDF{}.Bytes()
	at := bytes.LastIndex(sound, []byte("startxref"))
	broken := append(sound[:at:at], "startxref\n7\n%%EOF\n"...)
	repair := func(result []byte, err error) func(*Config) {
		return func(c *Config) { c.Repair = func(context.Context, []byte) ([]byte, error) { return result, err } }
	}
	fonts := finding.CarrierFontsNotEmbedded
	for _, test := range []struct {
		name    string
		carrier []byte
		config  func(*Config)
		kept    bool // the bytes of the carrier
		want    []string
	}{
		{"signed", pdfmaker.PDF{Extra: "/Perms<</UR3<</ByteRange[0 1]>>>>"}.Bytes(), nil, true, []string{fonts, finding.CarrierSignatureInvalidated}},
		{"certified", pdfmaker.PDF{Extra: "/Perms<</DocMDP<</ByteRange[0 1]>>>>"}.Bytes(), nil, true, []string{fonts, finding.CarrierCertificationInvalidated}},
		{"damaged, nothing repairs", broken, nil, true, []string{fonts, finding.CarrierRepaired}},
		{"damaged, repaired", broken, repair(sound, nil), false, []string{fonts, finding.CarrierRepaired}},
		{"damaged, not to be repaired", broken, repair(nil, errors.New("no")), true, []string{fonts, finding.CarrierRepaired}},
		{"damaged, repaired into nothing", broken, repair([]byte("%PDF-"), nil), true, []string{fonts, finding.CarrierRepaired}},
		{"long", append(slices.Clone(sound), bytes.Repeat([]byte(" "), MaxRechecked)...), nil, true, nil},
	} {
		c := Config{}
		if test.config != nil {
			test.config(&c)
		}
		s, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		req := embedRequest()
		req.Carrier = test.carrier
		a, err := s.Embed(t.Context(), req)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if !slices.Equal(codesOf(a.Carrier.Warnings), test.want) || bytes.HasPrefix(a.Data, test.carrier) != test.kept {
			t.Errorf("%s: %v", test.name, a.Carrier.Warnings)
		}
		if unchecked := len(a.Carrier.Checks) == 0; unchecked != slices.ContainsFunc(a.Warnings, func(f finding.Finding) bool { return f.Code == finding.ResultNotRechecked }) ||
			unchecked != (len(test.carrier) > MaxRechecked) {
			t.Errorf("%s: %d checks, %v", test.name, len(a.Carrier.Checks), a.Warnings)
		}
	}
}

// TestEmbed_EndsWithItsContext ensures that a request which is over is no refusal of the carrier.
func TestEmbed_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := unusable(ctx, pdffile.ErrDamaged); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestPayloadHash ensures that the hash is that of the canonical form, whatever the writing of the request.
func TestPayloadHash(t *testing.T) {
	for _, text := range []string{
		`{"invoice":{"b":1,"a":[1.5,0,"ä\"",null,true,{}]}}`,
		`{"x":{"invoice":1}, "invoice" : { "a": [ 15e-1, -0.00, "\u00e4\u0022", null, true, { } ], "b": 1.000 } }`,
	} {
		if got := payloadHash([]byte(text)); got != fmt.Sprintf("%x", sha256.Sum256([]byte(`{"a":[1.5,0,"ä\"",null,true,{}],"b":1}`))) {
			t.Errorf("%s: %s", text, got)
		}
	}
	if payloadHash([]byte(`{"invoice":{"a":10.0}}`)) != payloadHash([]byte(`{"invoice":{"a":1e1}}`)) || payloadHash([]byte(`{"invoice":1e99}`)) == payloadHash([]byte(`{"invoice":1e98}`)) {
		t.Error("numbers are not told apart by their values")
	}
}

// TestEmbed_CarrierAtItsLimit ensures that a carrier which has as many files already as are looked at is refused as what it is, and not found to have lost the invoice.
func TestEmbed_CarrierAtItsLimit(t *testing.T) {
	s, req := newService(t), embedRequest()
	for files, good := range map[int]bool{9_999: true, 10_000: false} {
		var names strings.Builder
		for i := range files {
			fmt.Fprintf(&names, "(a%06d)<</F(a%d)/EF<</F 4 0 R>>>>", i, i)
		}
		carrier := "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/Names<</EmbeddedFiles<</Names[" + names.String() +
			"]>>>>>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R>>endobj\n4 0 obj<</Length 0>>stream\n\nendstream endobj\n" +
			"trailer<</Root 1 0 R>>\n"
		req.Carrier = []byte(carrier)
		_, err := s.Embed(t.Context(), req)
		r, refused := errors.AsType[*finding.Refusal](err)
		if good && err != nil || !good && (!refused || r.Kind != finding.Unprocessable || r.Field != "pdf") {
			t.Errorf("%d files: %v", files, err)
		}
	}
}
