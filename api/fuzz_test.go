package api

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/finding"
)

// The forms of base64 that readBase64 takes beside the standard one.
var (
	dataURL    = regexp.MustCompile(`^data:[^,]*;base64,`)
	whiteSpace = regexp.MustCompile(`[ \t\r\n]`)
	padding    = regexp.MustCompile(`={0,2}$`)
	ofURLs     = strings.NewReplacer("-", "+", "_", "/")
)

// FuzzJSONUpload ensures that any body is either a document or a refusal, and that what the standard way of decoding accepts
// gives the same document, once base64 has its standard form.
func FuzzJSONUpload(f *testing.F) {
	for _, seed := range []string{`{"data":"QUI="}`, `{"filename":"a","x":[{}],"data":"QUI="}`, `{"data":null}`, `{"data":"QU\u0049="} `, `[`, `{"data":`, `{"data":"data:text/xml;base64,PGE-Pz8_ PC9h\nPg"}`, `{"data":"mI"}`, `{"data":"QUIw="}`, `{"data":"mI="}`, "{\"data\":\"\xff\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		up, err := readJSONUpload(httptest.NewRequestWithContext(t.Context(), "POST", "/", nil), body)
		if _, refused := errors.AsType[*finding.Refusal](err); err != nil && !refused {
			t.Fatalf("not a refusal: %v", err)
		}
		var want struct {
			Data     string `json:"data"`
			Filename string `json:"filename"`
		}
		if json.Unmarshal(body, &want) != nil {
			return
		}
		plain := ofURLs.Replace(whiteSpace.ReplaceAllString(dataURL.ReplaceAllString(want.Data, ""), ""))
		unpadded := padding.ReplaceAllString(plain, "")
		document, bad := base64.RawStdEncoding.DecodeString(unpadded)
		overfull := len(plain)-len(unpadded) > -len(unpadded)&3 // more padding than completes the last group
		if accepted := err == nil; accepted != (bad == nil && !overfull && len(document) > 0) {
			t.Fatalf("accepted: %v, but %q has the document %q (%v)", accepted, body, document, bad)
		}
		if err == nil && (!bytes.Equal(up.document, document) || up.filename != want.Filename) {
			t.Fatalf("%q of %q, want %q of %q", up.document, up.filename, document, want.Filename)
		}
	})
}

// FuzzMultipartUpload ensures that any multipart body is either a document or a refusal.
func FuzzMultipartUpload(f *testing.F) {
	f.Add("multipart/form-data; boundary=x", []byte("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nQ\r\n--x--\r\n"))
	f.Add("multipart/form-data; boundary=\"\"", []byte("--\r\n"))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		r := &http.Request{Header: http.Header{"Content-Type": {contentType}}}
		up, err := readMultipart(r, body)
		if _, refused := errors.AsType[*finding.Refusal](err); err != nil && !refused {
			t.Fatalf("not a refusal: %v", err)
		}
		if err == nil && (len(up.document) == 0 || len(up.filename) > maxFilename || strings.Contains(up.filename, "/")) {
			t.Fatalf("%+v", up)
		}
	})
}

// FuzzHeaders ensures that no header field, path or query makes the server fail or leave its shapes.
func FuzzHeaders(f *testing.F) {
	f.Add("POST", "/api/v1/invoice/de/xrechnung/generate", "respond-async, wait=1", "application/xml;q=0.1, */*", "application/json", "r-1", "limit=1")
	f.Add("GET", "/api/v1/jobs/job_1/artifact", "wait=x", "", "multipart/form-data", "\x00", "%zz&=&starting_after")
	s := newFixture(f, Config{BadKeysPerMinute: 1 << 30})
	f.Fuzz(func(t *testing.T, verb, path, prefer, accept, contentType, id, query string) {
		r := httptest.NewRequest("GET", "/", strings.NewReader("{}"))
		r.Method, r.URL.Path, r.URL.RawQuery = verb, path, query
		r.Header = http.Header{"Prefer": {prefer}, "Accept": {accept}, "Content-Type": {contentType}, "X-Request-Id": {id}, "Authorization": {"Bearer " + s.keys["full"]}}
		if len(prefer) > 0 && preferred(r.Header).wait > 0 {
			r.Header.Del("Prefer") // the answer would be waited for
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code >= 500 || !safeID(w.Header().Get("x-request-id")) || w.Code >= 400 && !bytes.Contains(w.Body.Bytes(), []byte(`"errors":[{`)) {
			t.Fatalf("status %d, id %q: %s", w.Code, w.Header().Get("x-request-id"), w.Body)
		}
	})
}

// BenchmarkGenerate measures what HTTP adds to a request of a kilobyte: everything but the operation.
func BenchmarkGenerate(b *testing.B) {
	s := newFixture(b, Config{})
	s.log.Discard()
	body := exampleRequest(b)
	for b.Loop() {
		r := httptest.NewRequest("POST", "/api/v1/invoice/de/xrechnung/generate", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+s.keys["full"])
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != 200 {
			b.Fatal(w.Body)
		}
	}
}

// BenchmarkJSONUpload measures reading a document of 8 MiB out of JSON.
func BenchmarkJSONUpload(b *testing.B) {
	body := fmt.Appendf(nil, `{"filename":"a.xml","data":%q}`, base64.StdEncoding.EncodeToString(make([]byte, 8<<20)))
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := readJSONUpload(httptest.NewRequestWithContext(b.Context(), "POST", "/", nil), body); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzBatch ensures that no batch, of any form, makes the server fail or leave its shapes, or is accepted in part.
func FuzzBatch(f *testing.F) {
	good := operationJSON("/api/v1/invoice/parse", `{"data":"PGEvPg=="}`)
	f.Add(typeJSON, "", []byte(`{"operations":[`+good+`],"metadata":{"a":"b"}}`))
	f.Add(typeJSON, "", []byte(good))
	f.Add("application/x-ndjson", "metadata.a=b", []byte(good+"\n\n"+good))
	f.Add("application/x-ndjson", "operation=/api/v1/invoice/de/xrechnung/generate?calculate%3D1", []byte("{}\n{}"))
	f.Add("application/zip", "operation=/api/v1/invoice/de/validate", zipOf(f, packedFile{name: "a.xml", data: "<a/>", method: zip.Deflate}))
	s := newFixture(f, Config{})
	f.Fuzz(func(t *testing.T, contentType, query string, body []byte) {
		r := httptest.NewRequest("POST", batchPath, bytes.NewReader(body))
		r.URL.RawQuery = query
		r.Header = http.Header{"Content-Type": {contentType}, "Authorization": {"Bearer " + s.keys["full"]}}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		var answer struct {
			Errors []any  `json:"errors"`
			ID     string `json:"id"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code >= 500 || (w.Code == 202) != (answer.ID != "") || (w.Code >= 400) != (len(answer.Errors) > 0) {
			t.Fatalf("status %d: %s (%v)", w.Code, w.Body, err)
		}
	})
}
