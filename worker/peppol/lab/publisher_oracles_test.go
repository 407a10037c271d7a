//go:build oracles

package lab

import (
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/test/oracles"
)

// TestOfficialClientReadsThePublisher ensures that the SMP client of peppol-commons reads what the publisher of the laboratory answers, signature and certificate of the
// access point included, and does not where another root is trusted, or where nothing is registered.
func TestOfficialClientReadsThePublisher(t *testing.T) {
	l, stranger := startLab(t), startLab(t)
	s := httptest.NewServer(http.HandlerFunc(l.publish))
	defer s.Close()
	others, err := oracles.StartNetwork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := others.Close(); err != nil {
			t.Error(err)
		}
	}()
	who, process, publisher := "iso6523-actorid-upis::9915:test", "cenbii-procid-ubl::urn:fdc:peppol.eu:2017:poacc:billing:01:1.0", s.URL+"/smp/"
	want := []string{who}
	for _, value := range billing {
		want = append(want, core.DocumentType{Scheme: core.DocumentScheme, Value: value}.URI())
	}
	if got, err := others.Group(publisher, who); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %q, want %q", err, got, want)
	}
	for _, document := range want[1:] {
		got, err := others.Service(publisher, who, document, process, filepath.Join(l.cfg.Folder, "root.pem"))
		if err != nil {
			t.Fatal(err)
		}
		der, err := base64.StdEncoding.DecodeString(got[1])
		if err != nil || got[0] != "https://"+l.Place()+"/ap" {
			t.Fatalf("%v %q", err, got)
		}
		if c, err := x509.ParseCertificate(der); err != nil || !slices.Equal(c.Raw, l.pki.receipts.Certificate[0]) {
			t.Errorf("%v", err)
		}
		refuses(t, others, publisher, who, document, process, filepath.Join(stranger.cfg.Folder, "root.pem"))
		refuses(t, others, publisher, who+"-unknown", document, process, filepath.Join(l.cfg.Folder, "root.pem"))
		refuses(t, others, publisher, who+"-unsupported", document, process, filepath.Join(l.cfg.Folder, "root.pem"))
	}
}

func refuses(t *testing.T, others *oracles.Network, publisher, who, document, process, root string) {
	t.Helper()
	_, err := others.Service(publisher, who, document, process, root)
	if _, refused := errors.AsType[*oracles.NetworkRefusal](err); !refused {
		t.Errorf("%s with %s: %v", who, root, err)
	}
}

func startLab(t *testing.T) *Lab {
	t.Helper()
	l, err := Start(Config{Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}
