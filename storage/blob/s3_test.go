package blob_test

import (
	"context"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/blob"
)

func TestAddressOfABucketIsChecked(t *testing.T) {
	for address, want := range map[string]string{
		"":                              "no URL",
		"invoices":                      "no URL",
		"https://k:hush-hush@%zz/b":     "no URL",
		"ftp://k:hush-hush@host/b":      "neither https",
		"https://k:hush-hush@host":      "no name of a bucket",
		"https://k:hush-hush@host/B_1":  "no name of a bucket",
		"https://k@host/invoices":       "key without a secret",
		"https://:hush-hush@host/inv":   "without a key",
		"https://host/invoices/../up":   "blob key",
		"https://h/inv?region=a%zz":     "malformed",
		"https://h/inv?lookup=sideways": "lookup",
		"https://h/inv?public=host":     "public",
		"https://h/inv?secret=x":        "unknown option",
	} {
		_, err := blob.OpenS3(t.Context(), blob.S3Config{URL: address, Flag: "--place"})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--place") || strings.Contains(err.Error(), "hush-hush") {
			t.Errorf("%s: error %v, want one with %q", address, err, want)
		}
	}
	for name, cfg := range map[string]blob.S3Config{"attempts": {Attempts: -1}, "patience": {Patience: -1}, "part": {PartSize: 1 << 20}} {
		cfg.URL = "https://k:s@host/invoices"
		if _, err := blob.OpenS3(t.Context(), cfg); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// empty is a bucket without objects that takes none; it notes the paths of requests.
func empty(t *testing.T) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "<ListBucketResult><Name>invoices</Name></ListBucketResult>")
	}))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "http://", "http://someone:hush-hush@", 1) + "/invoices"
}

func TestSignedAddressFixesWhatIsAnswered(t *testing.T) {
	s := openS3(t, blob.S3Config{URL: empty(t) + "/below?region=eu-central-1&public=" + url.QueryEscape("https://files.example.com")})
	for filename, want := range map[string]string{
		"invoice.xml":                     "invoice.xml",
		"../../etc/passwd":                "passwd",
		`C:\temp\re.pdf`:                  "re.pdf",
		"Rechnung Übergröße 4.xml":        "Rechnung Übergröße 4.xml",
		"a\r\nSet-Cookie: x=1\x00\".xml":  "aSet-Cookie x=1.xml",
		"gnp.\u202efdp.exe":               "gnp.fdp.exe",
		strings.Repeat("x", 500) + ".xml": strings.Repeat("x", 146) + ".xml",
		"...":                             "",
		"":                                "",
	} {
		address, err := s.SignedURL(t.Context(), "acc/job/1/x", filename, "text/html; charset=utf-8", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme+u.Host+u.Path != "httpsfiles.example.com/invoices/below/acc/job~1~x" || strings.Contains(address, "hush-hush") {
			t.Errorf("address %s, error %v", address, err)
		}
		q := u.Query()
		kind, params, err := mime.ParseMediaType(q.Get("response-content-disposition"))
		if err != nil || kind != "attachment" || params["filename"] != want {
			t.Errorf("%q becomes %q %q, error %v", filename, kind, params, err)
		}
		if q.Get("response-content-type") != "text/html; charset=utf-8" || q.Get("X-Amz-Expires") != "3600" || !strings.Contains(q.Get("X-Amz-Credential"), "eu-central-1") {
			t.Errorf("address %s", address)
		}
	}
	for _, kind := range []string{"", "xml", "a/b\r\nX: y", "/"} {
		address, err := s.SignedURL(t.Context(), "acc/job/1/x", "x", kind, time.Minute)
		if err != nil || !strings.Contains(address, "response-content-type=application%2Foctet-stream") {
			t.Errorf("type %q: address %s, error %v", kind, address, err)
		}
	}
	for _, ttl := range []time.Duration{0, -1, time.Hour + 1} {
		if _, err := s.SignedURL(t.Context(), "acc/job/1/x", "x", "a/b", ttl); err == nil {
			t.Errorf("signed for %s", ttl)
		}
	}
	if _, err := s.SignedURL(t.Context(), "../x", "x", "a/b", time.Minute); err == nil {
		t.Error("signed for what is no key")
	}
}

func TestStoreIsASigner(t *testing.T) {
	var s blob.Store = openS3(t, blob.S3Config{URL: empty(t)})
	if _, ok := s.(blob.Signer); !ok {
		t.Error("it is none")
	}
	if _, ok := blob.Store(open(t, t.TempDir())).(blob.Signer); ok {
		t.Error("a folder is one")
	}
}

func TestUploadsThatNobodyWillFinishAreRemovedAtTheStart(t *testing.T) {
	var removed atomic.Int64
	upload := func(key, id string, age time.Duration) string {
		return "<Upload><Key>" + key + "</Key><UploadId>" + id + "</UploadId><Initiated>" + time.Now().Add(-age).UTC().Format(time.RFC3339) + "</Initiated></Upload>"
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch q := r.URL.Query(); {
		case r.Method == http.MethodDelete:
			if r.URL.Path != "/invoices/acc/job~1~x" || q.Get("uploadId") != "old" {
				t.Errorf("removed is %s", r.URL)
			}
			removed.Add(1)
			w.WriteHeader(http.StatusNoContent)
		case q.Has("uploads"):
			all := upload("acc/job~1~x", "old", 25*time.Hour)
			if q.Get("prefix") == "" {
				all += upload("acc/job~1~y", "young", 23*time.Hour) + upload("somebody/elses:file", "old", 48*time.Hour)
			}
			_, _ = io.WriteString(w, "<ListMultipartUploadsResult>"+all+"</ListMultipartUploadsResult>")
		default:
			_, _ = io.WriteString(w, "<ListBucketResult><Name>invoices</Name></ListBucketResult>")
		}
	}))
	t.Cleanup(server.Close)
	openS3(t, blob.S3Config{URL: strings.Replace(server.URL, "http://", "http://k:s@", 1) + "/invoices"})
	if removed.Load() != 1 {
		t.Errorf("removed are %d uploads", removed.Load())
	}
}

func FuzzAddressOfABucket(f *testing.F) {
	for _, seed := range []string{"https://k:s%2F@h:1/bucket/pre/fix?region=r&lookup=path&public=https://x", "http://h/bucket", "https://[::1]/bucket?", "//@/", "https://k:s@h/b..b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		ended, cancel := context.WithCancel(t.Context())
		cancel() // nothing is to be sent
		s, err := blob.OpenS3(ended, blob.S3Config{URL: address, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			if u, parseErr := url.Parse(address); parseErr == nil && u.User != nil {
				if secret, _ := u.User.Password(); len(secret) > 12 && strings.Contains(err.Error(), secret) {
					t.Errorf("%q: the error tells the secret: %v", address, err)
				}
			}
			return
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
