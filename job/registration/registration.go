// Package registration puts the records of invoices into their chains: it gives storage, which knows no invoice, what core has made of one.
package registration

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/verifactu"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/chain"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// kind is the kind of the registrations of this package.
const kind = "verifactu"

// Of is the registration of a record, as verifactu.FromInvoice gives it.
func Of(r *verifactu.Record) ledger.Registration {
	return ledger.Registration{Kind: kind, Data: answers.JSON(r)}
}

// Registrar appends records to the chains of their issuers. It implements ledger.Registrar, and is safe for concurrent use.
type Registrar struct {
	Database     *db.DB
	Chains       *chain.Store
	Installation *verifactu.Installation // nil where none is configured: then nothing is appended
}

var _ ledger.Registrar = (*Registrar)(nil)

// Register implements ledger.Registrar. The Refusal is 409 where the invoice stands in the chain already with another content, or was canceled.
func (r *Registrar) Register(tx *db.Tx, accountID string, mode account.Mode, registered ledger.Registration) (stored int64, err error) {
	var record verifactu.Record
	if registered.Kind != kind {
		return 0, fmt.Errorf("nobody registers what is of the kind %q", registered.Kind)
	}
	if err := json.Unmarshal(registered.Data, &record); err != nil {
		return 0, fmt.Errorf("read a registration: %w", err)
	}
	appended, fresh, err := r.append(tx, accountID, mode, &record)
	if err != nil || !fresh {
		return 0, err
	}
	return appended.Bytes(), nil
}

// Cancel appends the cancellation of an invoice, counts it as stored, and calls along in the same transaction with the record of it and whether that was not there before. The
// Refusal is 404 for an invoice that the chain does not have, and 409 where no installation is configured.
func (r *Registrar) Cancel(ctx context.Context, accountID string, mode account.Mode, id verifactu.InvoiceID, along func(tx *db.Tx, record chain.Record, appended bool) error) error {
	return r.Database.Write(ctx, func(tx *db.Tx) error {
		record, appended, err := r.append(tx, accountID, mode, verifactu.Cancellation(id))
		if err != nil {
			return err
		}
		if err := along(tx, record, appended); err != nil || !appended {
			return err
		}
		return volume.Count(tx, accountID, record.Bytes())
	})
}

func (r *Registrar) append(tx *db.Tx, accountID string, mode account.Mode, record *verifactu.Record) (chain.Record, bool, error) {
	if r.Installation == nil {
		return chain.Record{}, false, operation.NoVeriFactu
	}
	content, err := record.Content()
	if err != nil {
		return chain.Record{}, false, err
	}
	id, system := record.Invoice, r.Installation.System()
	owner := chain.Owner{Account: accountID, Mode: mode, Issuer: id.Issuer, Installation: system.Installation}
	appended, fresh, err := r.Chains.Append(tx, owner, chain.Entry{Cancels: record.Cancels, Number: id.Number, Day: id.Date, Content: content,
		Make: func(last *chain.Record, at time.Time) (chain.Record, error) { return sealed(*record, system, last, at) }})
	return appended, fresh, refused(err, id)
}

// sealed is a record behind the last one of its chain.
func sealed(record verifactu.Record, system verifactu.System, last *chain.Record, at time.Time) (chain.Record, error) {
	var previous *verifactu.Previous
	if last != nil {
		previous = &verifactu.Previous{InvoiceID: verifactu.InvoiceID{Issuer: record.Invoice.Issuer, Number: last.Number, Date: last.Day}, Hash: last.Hash}
	}
	record.Seal(system, previous, verifactu.Moment(at))
	document, err := record.XML()
	if err != nil {
		return chain.Record{}, err
	}
	l := record.Link()
	return chain.Record{Type: l.Type, Tax: l.Tax, Total: l.Total, Previous: l.Previous, Generated: l.Generated, Hash: l.Hash, Document: document}, nil
}

// refusals are what the chain forbids, as it is answered.
var refusals = []struct {
	err           error
	kind          finding.Kind
	code, message string
}{
	{chain.ErrOther, finding.Conflict, "VERIFACTU_CONTENT_DIFFERS", "Invoice %s of %s is registered with another content: registered invoices are not changed. Correct it by a rectifying invoice, or cancel it"},
	{chain.ErrCanceled, finding.Conflict, "VERIFACTU_CANCELED", "Invoice %s of %s was registered and canceled: its number cannot be used again"},
	{chain.ErrUnknown, finding.NotFound, "", "Invoice %s of %s is not in the chain of its issuer"},
}

func refused(err error, id verifactu.InvoiceID) error {
	for _, r := range refusals {
		if errors.Is(err, r.err) {
			return &finding.Refusal{Kind: r.kind, Code: r.code, Field: "invoiceNumber", Message: fmt.Sprintf(r.message, id.Number, id.Date), Cause: err}
		}
	}
	return err
}
