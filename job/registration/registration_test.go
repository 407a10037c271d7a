package registration

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/core/verifactu"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/chain"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// TestRegister_Together registers and cancels invoices of two issuers through several processes at once: by their own documents, the chains have no gap and no
// fork, and every hash is right.
func TestRegister_Together(t *testing.T) {
	dbtest.EachConfig(t, func(t *testing.T, cfg db.Config) {
		hand := clock.NewHand(time.Date(2026, 6, 30, 10, 0, 0, 0, time.UTC))
		var registrars []*Registrar
		for range 3 {
			database := dbtest.Reopen(t, cfg)
			registrars = append(registrars, &Registrar{Database: database, Chains: chain.New(hand, database), Installation: installation(t)})
		}
		one := newAccount(t, registrars[0].Database)
		issuers := []string{"B12345674", "A28015865"}
		const invoices, workers = 300, 12
		var work sync.WaitGroup
		for w := range workers {
			work.Go(func() {
				for i := w; i < invoices; i += workers {
					hand.Add(time.Duration(i%5-2) * time.Second)
					id := verifactu.InvoiceID{Issuer: issuers[i%2], Number: fmt.Sprintf("A-%d", i), Date: "30-06-2026"}
					if err := registerOne(registrars[i%len(registrars)], one, id, i%6 == 0); err != nil {
						t.Error(err)
					}
				}
			})
		}
		work.Wait()
		for _, issuer := range issuers {
			whole := chainOf(t, registrars[0].Chains, chain.Owner{Account: one, Mode: account.Live, Issuer: issuer})
			if whole.BrokenCount > 0 || whole.Invoices != invoices/2 || whole.Total.String() != "181500.00" {
				t.Errorf("%s: %+v", issuer, whole)
			}
		}
	})
}

// TestRegister_TellsWhatItStores ensures that a record and a cancellation count as stored once, however often they come.
func TestRegister_TellsWhatItStores(t *testing.T) {
	database := dbtest.Open(t)
	one := newAccount(t, database)
	r := &Registrar{Database: database, Chains: chain.New(nil, database), Installation: installation(t)}
	id := verifactu.InvoiceID{Issuer: "B12345674", Number: "A-1", Date: "30-06-2026"}
	var told [2]int64
	for i := range told {
		var err error
		if told[i], err = register(r, one, id); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := r.Cancel(t.Context(), one, account.Live, id, func(*db.Tx, chain.Record, bool) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	found, err := r.Chains.Find(t.Context(), chain.Owner{Account: one, Mode: account.Live, Issuer: id.Issuer})
	if err != nil {
		t.Fatal(err)
	}
	records, err := found.Read(t.Context(), chain.Range{Most: 10, Documents: true})
	if err != nil || len(records) != 2 {
		t.Fatalf("%d records: %v", len(records), err)
	}
	var counted int64
	if err := database.Get(t.Context(), &counted, "SELECT CAST(sum(bytes) AS BIGINT) FROM stored_inputs"); err != nil {
		t.Fatal(err)
	}
	if want := records[0].Bytes(); told != [2]int64{want, 0} {
		t.Errorf("registered twice: %d bytes, want %d and none", told, want)
	}
	if want := records[1].Bytes(); counted != want {
		t.Errorf("canceled twice: %d bytes are counted, want %d", counted, want)
	}
}

// installation is that of the tests.
func installation(t *testing.T) *verifactu.Installation {
	t.Helper()
	text, err := os.ReadFile("../../testdata/verifactu/installation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	installed, err := verifactu.Load(text)
	if err != nil {
		t.Fatal(err)
	}
	return installed
}

// newAccount gives the id of an account.
func newAccount(t *testing.T, database *db.DB) string {
	t.Helper()
	accounts, err := account.New(account.Config{}, database)
	if err != nil {
		t.Fatal(err)
	}
	one, err := accounts.CreateAccount(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	return one.ID
}

// register registers an invoice, and gives what that has stored.
func register(r *Registrar, accountID string, id verifactu.InvoiceID) (stored int64, err error) {
	record := &verifactu.Record{Version: "1.0", HashType: "01", Invoice: id, IssuerName: "Alfa", Type: "F1", Description: "x", Tax: "210.00", Total: "1210.00"}
	err = r.Database.Write(context.Background(), func(tx *db.Tx) (err error) {
		stored, err = r.Register(tx, accountID, account.Live, Of(record))
		return err
	})
	return stored, err
}

// registerOne registers an invoice, and cancels some.
func registerOne(r *Registrar, accountID string, id verifactu.InvoiceID, cancel bool) error {
	if _, err := register(r, accountID, id); err != nil || !cancel {
		return err
	}
	return r.Cancel(context.Background(), accountID, account.Live, id, func(*db.Tx, chain.Record, bool) error { return nil })
}

// chainOf follows a chain by its documents.
func chainOf(t *testing.T, s *chain.Store, o chain.Owner) (whole verifactu.Chain) {
	t.Helper()
	found, err := s.Find(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	records, err := found.Read(t.Context(), chain.Range{Most: 10_000, Documents: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range records {
		read, err := verifactu.Read(r.Document)
		if err != nil || r.Position != int64(i+1) {
			t.Fatalf("record %d at %d: %v", i+1, r.Position, err)
		}
		whole.Add(read.Records[0].Link())
	}
	return whole
}
