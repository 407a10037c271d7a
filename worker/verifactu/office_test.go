package verifactu

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	core "github.com/einvoiced/einvoiced/core/verifactu"

	"github.com/einvoiced/einvoiced/internal/await"
	"github.com/einvoiced/einvoiced/internal/taxoffice"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// sampled is how many records a sample has: what the cases count.
const sampled = 11

// sample is a batch of the records of testdata, which are a chain.
func sample(t *testing.T) *core.Batch {
	t.Helper()
	files, err := filepath.Glob("../../testdata/verifactu/*.xml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	b := &core.Batch{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read, err := core.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		b.Records = append(b.Records, read.Records...)
	}
	if len(b.Records) < sampled {
		t.Fatalf("%d records", len(b.Records))
	}
	b.Records = b.Records[:sampled]
	b.Issuer = core.Party{Name: b.Records[0].IssuerName, NIF: b.Records[0].Invoice.Issuer}
	return b
}

// asked is how a test asks the office: the default is as it should be.
type asked struct {
	stranger bool // with a certificate of another authority
	nobody   bool // without one
	distrust bool // without the authority of the office's
	closed   bool // the operator has not allowed the place
	timeout  time.Duration
}

func officeOf(t *testing.T, at *taxoffice.Office, a asked) *Office {
	t.Helper()
	cfg := outbound.Config{Timeout: a.timeout, Logger: slog.New(slog.DiscardHandler), RootCAs: x509.NewCertPool()}
	if text, err := os.ReadFile(at.Authorities); err != nil || !a.distrust && !cfg.RootCAs.AppendCertsFromPEM(text) {
		t.Fatal(err)
	}
	if !a.closed {
		cfg.Allow = []string{at.Place}
	}
	certificate, key := at.Certificate, at.Key
	if a.stranger {
		certificate, key = at.Stranger, at.StrangerKey
	}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	if !a.nobody {
		cfg.Certs = []tls.Certificate{pair}
	}
	client, err := outbound.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return New(client, core.TaxOffice{URL: at.URL}, cfg.Logger)
}

// TestSubmit ensures what comes of each way in which the office answers, or does not: outcomes of all records, or a fault after which they are sent again.
func TestSubmit(t *testing.T) {
	for name, c := range map[string]struct {
		behaviour taxoffice.Behaviour
		asked
		want string // how many records have which outcome, or the fault
	}{
		"correct":             {taxoffice.Correct, asked{}, "accepted 11"},
		"partly":              {taxoffice.Partly, asked{}, "accepted 4, accepted_with_errors 4, rejected 3"},
		"rejected":            {taxoffice.Rejected, asked{}, "rejected 11"},
		"fault":               {taxoffice.Fault, asked{}, "the tax office has refused the submission: Codigo[4112]"},
		"slow":                {taxoffice.Slow, asked{timeout: 200 * time.Millisecond}, "could not be reached: did not answer in time"},
		"500":                 {taxoffice.Broken, asked{}, "the tax office has answered 500"},
		"broken XML":          {taxoffice.Garbage, asked{}, "cannot be read"},
		"oversized":           {taxoffice.Oversized, asked{timeout: time.Minute}, "more than 8388608 bytes"},
		"another invoice":     {taxoffice.Other, asked{}, "not about these records"},
		"lost":                {taxoffice.Lost, asked{}, "could not be reached"},
		"wrong certificate":   {taxoffice.Correct, asked{stranger: true}, "could not be reached"},
		"no certificate":      {taxoffice.Correct, asked{nobody: true}, "could not be reached"},
		"an office of others": {taxoffice.Correct, asked{distrust: true}, "could not be reached: has no certificate that is valid"},
		"a place that is not": {taxoffice.Correct, asked{closed: true}, "could not be reached: must use port 443"},
	} {
		t.Run(name, func(t *testing.T) {
			at := taxoffice.Start(t)
			at.Next(c.behaviour)
			o := officeOf(t, at, c.asked)
			got := submitted(t, o, sample(t))
			if !strings.Contains(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
			if complaints := at.Complaints(); len(complaints) > 0 {
				t.Errorf("%v", complaints)
			}
			if failed := o.Counts()["failed"]; (failed > 0) != !strings.HasSuffix(c.want, " 11") && !strings.Contains(c.want, ", rejected") {
				t.Errorf("%v", o.Counts())
			}
		})
	}
}

// submitted is what comes of a batch, in words.
func submitted(t *testing.T, o *Office, b *core.Batch) string {
	t.Helper()
	reply, outcomes, err := o.Submit(t.Context(), b)
	if err != nil {
		if _, fault := errors.AsType[*kinds.SendFault](err); !fault {
			t.Errorf("%v is no fault", err)
		}
		return err.Error()
	}
	if reply.Wait != time.Minute || reply.CSV == "" {
		t.Errorf("%+v", reply)
	}
	var said []string
	for _, state := range []string{core.Accepted, core.AcceptedWithErrors, core.Rejected} {
		n := 0
		for _, outcome := range outcomes {
			if outcome.State == state {
				n++
			}
		}
		if n > 0 {
			said = append(said, state+" "+strconv.Itoa(n))
		}
	}
	return strings.Join(said, ", ")
}

// TestSubmit_Again ensures that records whose answer was lost count as received when they are sent once more.
func TestSubmit_Again(t *testing.T) {
	at := taxoffice.Start(t)
	at.Next(taxoffice.Lost)
	o := officeOf(t, at, asked{})
	b := sample(t)
	if got := submitted(t, o, b); !strings.Contains(got, "could not be reached") {
		t.Error(got)
	}
	if got := submitted(t, o, b); got != "accepted 11" {
		t.Error(got)
	}
	if at.Registered() != len(b.Records) || len(at.Batches()) != 2 || len(at.Complaints()) > 0 {
		t.Errorf("%d registered, %d batches, %v", at.Registered(), len(at.Batches()), at.Complaints())
	}
}

// TestSubmit_Stops ensures that a service which stops breaks a submission off, and that this is told apart from a fault by the context.
func TestSubmit_Stops(t *testing.T) {
	at := taxoffice.Start(t)
	at.Next(taxoffice.Slow)
	ctx, cancel := context.WithCancel(t.Context())
	o := officeOf(t, at, asked{timeout: time.Minute})
	ended := make(chan error)
	go func() {
		_, _, err := o.Submit(ctx, sample(t))
		ended <- err
	}()
	await.True(t, "the batch has come", func() bool { return len(at.Batches()) == 1 })
	cancel()
	if err := <-ended; err == nil {
		t.Error("no error")
	}
}
