package blob_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/blob/blobtest"
)

// realS3 is the server of EINVOICED_TEST_S3; ok is false where there is none.
func realS3(t testing.TB) (server *url.URL, ok bool) {
	t.Helper()
	address := os.Getenv("EINVOICED_TEST_S3")
	if address == "" {
		return nil, false
	}
	server, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return server, true
}

// admin is a client of the server for what a store does not do.
func admin(t testing.TB, server *url.URL) *minio.Client {
	t.Helper()
	secret, _ := server.User.Password()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client, err := minio.New(server.Host, &minio.Options{Creds: credentials.NewStaticV4(server.User.Username(), secret, ""), Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// bucket makes a bucket and gives its address.
func bucket(t testing.TB, server *url.URL) string {
	t.Helper()
	name := "test-" + strings.ToLower(rand.Text())
	client := admin(t, server)
	if err := client.MakeBucket(t.Context(), name, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeBucket(t, client, name) })
	at := *server
	at.Path = "/" + name
	return at.String()
}

// removeBucket removes a bucket with all that is in it; one that is gone is no error.
func removeBucket(t testing.TB, client *minio.Client, name string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for range client.RemoveObjects(ctx, name, client.ListObjects(ctx, name, minio.ListObjectsOptions{Recursive: true}), minio.RemoveObjectsOptions{}) {
	}
	if err := client.RemoveBucket(ctx, name); err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchBucket {
		t.Errorf("remove bucket %s: %v", name, err)
	}
}

// openS3 opens a store that is closed with the test.
func openS3(t testing.TB, cfg blob.S3Config) *blob.S3 {
	t.Helper()
	cfg.Logger = slog.New(slog.DiscardHandler)
	s, err := blob.OpenS3(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestRealS3IsAStore(t *testing.T) {
	server, ok := realS3(t)
	if !ok {
		return // .ci/run starts one
	}
	blobtest.Run(t, func(t *testing.T) blob.Store { return openS3(t, blob.S3Config{URL: bucket(t, server)}) })
	t.Run("with a prefix", func(t *testing.T) {
		at := bucket(t, server)
		below := func(prefix string) string { return strings.Replace(at, "?", prefix+"?", 1) }
		outer := openS3(t, blob.S3Config{URL: at})
		inner := openS3(t, blob.S3Config{URL: below("/some/where")})
		for _, s := range []blob.Store{outer, inner} {
			put(t, s, "a/b/c", "x")
		}
		if got := list(t, inner); len(got) != 1 || got[0] != "a/b/c" {
			t.Errorf("inside are %q", got)
		}
		if err := inner.DeleteAll(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if got := list(t, outer); len(got) != 1 || got[0] != "a/b/c" {
			t.Errorf("outside are %q", got)
		}
	})
}

func put(t testing.TB, s blob.Store, key, data string) {
	t.Helper()
	if _, err := s.Put(t.Context(), key, strings.NewReader(data)); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, s blob.Store, key string) string {
	t.Helper()
	r, err := s.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func list(t testing.TB, s blob.Store) (found []string) {
	t.Helper()
	if err := s.List(t.Context(), "", func(o blob.Object) error { found = append(found, o.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestRealS3StoresInParts(t *testing.T) {
	server, ok := realS3(t)
	if !ok {
		return
	}
	at := bucket(t, server)
	s := openS3(t, blob.S3Config{URL: at, PartSize: 5 << 20})
	u, _ := url.Parse(at)
	for name, size := range map[string]int{"one part exactly": 5 << 20, "a byte more": 5<<20 + 1, "three parts": 13 << 20} {
		data := make([]byte, size)
		rand.Read(data)
		info, err := s.Put(t.Context(), "acc/job/1/large", iotest.HalfReader(strings.NewReader(string(data))))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sum := sha256.Sum256(data)
		if info.Size != int64(size) || info.SHA256 != hex.EncodeToString(sum[:]) || read(t, s, "acc/job/1/large") != string(data) {
			t.Errorf("%s: other bytes", name)
		}
	}
	broken := errors.New("broken")
	if _, err := s.Put(t.Context(), "acc/job/1/large", io.MultiReader(strings.NewReader(strings.Repeat("x", 7<<20)), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("error %v, want the reader's", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelling := io.MultiReader(strings.NewReader(strings.Repeat("x", 7<<20)), &onRead{cancel}, strings.NewReader(strings.Repeat("x", 7<<20)))
	if _, err := s.Put(ctx, "acc/job/1/other", cancelling); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if got := read(t, s, "acc/job/1/large"); len(got) != 13<<20 && len(got) != 5<<20 && len(got) != 5<<20+1 {
		t.Errorf("a failed put has left %d bytes", len(got))
	}
	for upload := range admin(t, server).ListIncompleteUploads(t.Context(), strings.Trim(u.Path, "/"), "", true) {
		t.Errorf("left is the upload %+v", upload)
	}
}

// onRead calls a function when it is read, and is empty.
type onRead struct{ do func() }

func (o *onRead) Read([]byte) (int, error) { o.do(); return 0, io.EOF }

func TestRealS3ListsAndDeletesMoreThanAPage(t *testing.T) {
	server, ok := realS3(t)
	if !ok || testing.Short() {
		return
	}
	s := openS3(t, blob.S3Config{URL: bucket(t, server)})
	const many = 1050
	for i := range many {
		put(t, s, blob.Key("acc", "job", int64(i), "answer"), "x")
	}
	if got := list(t, s); len(got) != many {
		t.Errorf("listed are %d", len(got))
	}
	if err := s.DeleteAll(t.Context(), "acc/job"); err != nil {
		t.Fatal(err)
	}
	if got := list(t, s); len(got) != 0 {
		t.Errorf("left are %d", len(got))
	}
}

func TestRealS3ServesSignedAddresses(t *testing.T) {
	server, ok := realS3(t)
	if !ok {
		return
	}
	s := openS3(t, blob.S3Config{URL: bucket(t, server)})
	put(t, s, "acc/job/1/invoice", "<Invoice/>")
	address, err := s.SignedURL(t.Context(), "acc/job/1/invoice", `../Rechnung "4".xml`, "application/xml", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	answer, body := fetch(t, http.MethodGet, address)
	if answer.StatusCode != 200 || body != "<Invoice/>" || answer.Header.Get("Content-Type") != "application/xml" ||
		answer.Header.Get("Content-Disposition") != `attachment; filename="Rechnung 4.xml"` {
		t.Errorf("answered %d %q %v", answer.StatusCode, body, answer.Header)
	}
	other := strings.Replace(address, "invoice", "another", 1)
	for name, at := range map[string][2]string{
		"another key": {http.MethodGet, other}, "another method": {http.MethodDelete, address},
		"another type": {http.MethodGet, strings.Replace(address, "application%2Fxml", "text%2Fhtml", 1)},
		"a later end":  {http.MethodGet, strings.Replace(address, "Expires=60", "Expires=3600", 1)},
	} {
		if answer, _ := fetch(t, at[0], at[1]); answer.StatusCode < 400 {
			t.Errorf("%s: answered %d", name, answer.StatusCode)
		}
	}
	if read(t, s, "acc/job/1/invoice") != "<Invoice/>" {
		t.Error("it is gone")
	}
}

func fetch(t testing.TB, method, address string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func TestRealS3TellsWhatIsWrong(t *testing.T) {
	server, ok := realS3(t)
	if !ok {
		return
	}
	at := bucket(t, server)
	if err := openS3(t, blob.S3Config{URL: at}).Check(t.Context()); err != nil {
		t.Errorf("a bucket as it should be: %v", err)
	}
	u, _ := url.Parse(at)
	secret, _ := u.User.Password()
	for name, test := range map[string]struct {
		change func(*url.URL)
		want   string
	}{
		"bucket": {func(u *url.URL) { u.Path = "/absent-bucket" }, "there is no bucket absent-bucket"},
		"key":    {func(u *url.URL) { u.User = url.UserPassword("nobody", "hush-hush") }, "does not know the key"},
		"secret": {func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), "hush-hush") }, "is not the one of the key"},
	} {
		other := *u
		test.change(&other)
		_, err := blob.OpenS3(t.Context(), blob.S3Config{URL: other.String(), Flag: "--s3"})
		var refusal *blob.Refusal
		if !errors.As(err, &refusal) || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "--s3") ||
			strings.Contains(err.Error(), "hush-hush") || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
