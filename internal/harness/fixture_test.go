package harness

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	_ = starter() // lives as long as the tests do
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// trusting gives a transport that trusts the authority of a file.
func trusting(t *testing.T, file string) *http.Transport {
	t.Helper()
	pem, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatal("the file has no certificate")
	}
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
}

// httptestServer serves requests one after the other and gives its address.
func httptestServer(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}
