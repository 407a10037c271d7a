package api

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/internal/pdfmaker"
	"github.com/einvoiced/einvoiced/storage/queue/names"
)

const (
	embedDE  = "POST /api/v1/invoice/de/xrechnung/embed"
	uploadDE = "POST /api/v1/invoice/DE/XRECHNUNG/embed/upload"
)

// embedJSON is the body of the embed route for a carrier, with further members.
func embedJSON(member, carrier, further string) string {
	return fmt.Sprintf(`{"invoice":{},%q:%q%s}`, member, base64.StdEncoding.EncodeToString([]byte(carrier)), further)
}

// TestEmbed_Requests ensures what both routes take, and that each refusal names what is wrong.
func TestEmbed_Requests(t *testing.T) {
	f := newFixture(t, Config{})
	const pdf = "%PDF-1.7"
	missing := fieldJSON("MISSING_FIELD", "pdf", "pdf: the carrier PDF is missing or empty")
	for _, s := range []scenario{
		{name: "pdf", do: embedDE, body: embedJSON("pdf", pdf, ""), status: 200},
		{name: "data", do: embedDE, body: embedJSON("data", pdf, `,"validate":null,"formatOptions":{"profile":"BASIC"}`), status: 200},
		{name: "carrier", do: embedDE, body: embedJSON("carrier", pdf, `,"enforcePending":false`), status: 200},
		{name: "two carriers", do: embedDE, body: embedJSON("carrier", pdf, `,"pdf":"AA=="`), status: 400,
			want: fieldJSON("DUPLICATE_MEMBER", "pdf", "pdf: the carrier is given as carrier already")},
		{name: "no carrier", do: embedDE, body: `{"invoice":{}}`, status: 400, want: missing},
		{name: "no base64", do: embedDE, body: `{"invoice":{},"pdf":"?"}`, status: 400, want: fieldJSON("INVALID_BASE64", "pdf", "pdf: the document is not valid base64")},
		{name: "a switch that is none", do: embedDE, body: embedJSON("pdf", pdf, `,"validate":"yes"`), status: 400,
			want: fieldJSON("INVALID_TYPE", "validate", "validate: must be true or false")},
		{name: "no object", do: embedDE, body: `[]`, status: 400, want: invalidJSON("The request body must be a JSON object")},
		{name: "cut off", do: embedDE, body: `{"pdf":"AA==","invoice":{`, status: 400},
		{name: "something behind", do: embedDE, body: embedJSON("pdf", pdf, "") + "x", status: 400},
		{name: "a form for the JSON route", do: embedDE, body: formOf("pdf", pdf, "invoice", "{}"), header: asForm, status: 415},
		{name: "upload", do: uploadDE, body: formOf("pdf", pdf, "invoice", "{}", "validate", "true", "enforcePending", "false", "formatOptions", "{}", "more", "x"), header: asForm, status: 200},
		{name: "upload without a carrier", do: uploadDE, body: formOf("invoice", "{}"), header: asForm, status: 400, want: missing},
		{name: "upload with two carriers", do: uploadDE, body: formOf("pdf", pdf, "pdf", pdf), header: asForm, status: 400,
			want: fieldJSON("DUPLICATE_MEMBER", "pdf", "pdf: the multipart body has more than one part of this name")},
		{name: "upload of no JSON", do: uploadDE, body: formOf("pdf", pdf, "invoice", "{"), header: asForm, status: 400,
			want: fieldJSON("INVALID_JSON", "invoice", "invoice: the part is not valid JSON")},
		{name: "upload with a switch that is none", do: uploadDE, body: formOf("pdf", pdf, "invoice", "{}", "validate", "1"), header: asForm, status: 400,
			want: fieldJSON("INVALID_TYPE", "validate", "validate: must be true or false")},
		{name: "upload of a request around the invoice", do: uploadDE, body: formOf("pdf", pdf, "invoice", `{"formatOptions":{},"invoice":{"invoiceNumber":"1"}}`), header: asForm, status: 400,
			want: fieldJSON("INVALID_VALUE", "invoice", "invoice: the part is the invoice itself, not an object with the member invoice; formatOptions is a part of its own")},
		{name: "upload of many parts", do: uploadDE, body: formOf("a", "", "b", "", "c", "", "d", "", "e", "", "f", "", "g", "", "h", "", "pdf", pdf), header: asForm, status: 400},
		{name: "upload cut off", do: uploadDE, body: strings.TrimSuffix(formOf("pdf", pdf), "--x--\r\n"), header: asForm, status: 400},
		{name: "upload of JSON", do: uploadDE, body: `{}`, status: 415},
		{name: "upload of too many lines", do: uploadDE, body: formOf("pdf", pdf, "invoice", strings.TrimSuffix(strings.TrimPrefix(string(manyItems(25_001)), `{"invoice":`), "}")), header: asForm, status: 400},
		{name: "a country that does not embed", do: "POST /api/v1/invoice/it/zugferd/embed", body: embedJSON("pdf", pdf, ""), status: 400},
	} {
		s.role = "full"
		t.Run(s.name, func(t *testing.T) { s.run(t, f) })
	}
}

// TestEmbed_Bare ensures when the PDF itself is answered, and which header fields say the rest, here and from a job. The short form
// leaves the largest out.
func TestEmbed_Bare(t *testing.T) {
	f := newFixture(t, Config{}, func(d *Deps) { d.EmbedServed = served(true) })
	f.work(t)
	large := "%PDF-1.7" + strings.Repeat(" ", 6<<20)
	for _, carrier := range []string{"%PDF-1.7", large, large + large + large} {
		if testing.Short() && len(carrier) > 10<<20 {
			continue
		}
		rechecked := fmt.Sprint(len(carrier) <= maxCarrierAlone)
		for _, s := range []scenario{
			{body: formOf("pdf", carrier, "invoice", "{}"), says: map[string]string{"Content-Type": "application/pdf", "X-Validation-Status": "skipped", "X-Result-Rechecked": rechecked}},
			{body: formOf("pdf", carrier, "invoice", "{}", "validate", "true"), says: map[string]string{"Content-Type": "application/pdf", "X-Validation-Status": "passed"}},
			{body: formOf("pdf", carrier, "invoice", `{"a":"FAKE-FONTS"}`), says: map[string]string{"Content-Type": typeJSON, "X-Validation-Status": ""}},
		} {
			s.role, s.do, s.status, s.header = "full", uploadDE, 200, append([]string{"Accept", "application/pdf"}, asForm...)
			s.run(t, f)
		}
	}
}

func served(is bool) func(context.Context) (bool, error) {
	return func(context.Context) (bool, error) { return is, nil }
}

// TestEmbed_SizeClasses ensures who embeds into carriers of each size, by whether the embedding service is there (contract, embed upload, 5;
// supplement §1a). The short form leaves the largest out.
func TestEmbed_SizeClasses(t *testing.T) {
	signed := string(pdfmaker.PDF{Extra: "/Perms<</UR3<</ByteRange[0 1]>>>>"}.Bytes())
	for _, service := range []struct {
		name string
		ask  func(context.Context) (bool, error)
	}{{"there", served(true)}, {"away", served(false)}, {"not configured", nil}} {
		f := newFixture(t, Config{}, func(d *Deps) { d.EmbedServed = service.ask })
		f.work(t)
		for _, c := range []struct {
			size   int
			signed bool
			want   map[string]int // status by service
			queued bool           // a job of the embedding service, where it is there
		}{
			{1 << 10, false, map[string]int{"there": 200, "away": 200, "not configured": 200}, false},
			{5<<20 - 1, true, map[string]int{"there": 200, "away": 200, "not configured": 200}, false},
			{5 << 20, false, map[string]int{"there": 200, "away": 200, "not configured": 200}, true},
			{15 << 20, false, map[string]int{"there": 200, "away": 200, "not configured": 200}, true},
			{15<<20 + 1, false, map[string]int{"there": 200, "away": 503, "not configured": 413}, true},
			{15<<20 + 1, true, map[string]int{"there": 200, "away": 200, "not configured": 413}, false},
			{64<<20 + 1, false, map[string]int{"there": 413, "away": 413, "not configured": 413}, false},
		} {
			if testing.Short() && c.size > 10<<20 {
				continue
			}
			carrier := "%PDF-1.7"
			if c.signed {
				carrier = signed
			}
			carrier += strings.Repeat(" ", c.size-len(carrier))
			before := len(f.jobsOf(t, "full"))
			r := f.ask(t, "full", "POST", "/api/v1/invoice/de/xrechnung/embed/upload", formOf("pdf", carrier, "invoice", "{}"), asForm...)
			jobs := f.jobsOf(t, "full")
			queued := c.queued && service.name == "there"
			if r.status != c.want[service.name] || len(jobs)-before != map[bool]int{true: 1}[queued] {
				t.Errorf("%s, %d bytes, signed %t: status %d, %d jobs more", service.name, c.size, c.signed, r.status, len(jobs)-before)
				continue
			}
			code := map[int]string{503: `"EMBED_UNAVAILABLE"`, 413: `"CARRIER_TOO_LARGE"`}[r.status]
			if !strings.Contains(string(r.body[:min(len(r.body), 100)]), code) || (r.header.Get("Retry-After") == "60") != (r.status == 503) {
				t.Errorf("%s, %d bytes: %.200s", service.name, c.size, r.body)
			}
			for _, job := range jobs {
				if job.Queue != names.Embed {
					t.Errorf("%s, %d bytes: a job in the queue %s", service.name, c.size, job.Queue)
				}
			}
		}
	}
}

// TestEmbed_UploadLimit ensures that the body of an upload has a limit of its own.
func TestEmbed_UploadLimit(t *testing.T) {
	f := newFixture(t, Config{})
	scenario{role: "full", do: uploadDE, body: strings.Repeat(" ", maxUpload+1), header: asForm, status: 413}.run(t, f)
}

// FuzzEmbedRequest ensures that any body of both routes is an embedding or a refusal.
func FuzzEmbedRequest(f *testing.F) {
	f.Add([]byte(embedJSON("pdf", "%PDF", `,"validate":true`)), false)
	f.Add([]byte(formOf("pdf", "%PDF", "invoice", "{}", "templateId", "x", "template", "{}")), true)
	f.Fuzz(func(t *testing.T, body []byte, form bool) {
		var e *embedding
		var err error
		if form {
			e, err = embeddingFromParts(body, "x")
		} else {
			e, err = embeddingFromJSON(t.Context(), body)
		}
		if (e == nil) == (err == nil) {
			t.Errorf("%+v, %v", e, err)
		}
	})
}
