package peppol

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/s2"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
)

// Document is the envelope of a transmission as it is kept: in its row where it is small, else as a blob in the block format of S2, since large rows hold up other
// writers. Documents from before there was that are in their rows, however large.
type Document struct {
	size int
	row  []byte // empty where it is a blob
	key  string // of the blob; empty where there is none
}

// smallDocument is how many bytes a document may have that is kept in its row.
const smallDocument = 32 << 10

// documentKey is where the blob of a document is kept. It belongs to the transmission as that of a request does to its job.
func documentKey(accountID, transmissionID string) string {
	return blob.Key(accountID, transmissionID, 0, "document")
}

// Keep stores a document that is not small before it returns. Insert makes it the transmission's; what is not inserted is to be dropped, and is swept otherwise
// (ledger.Sweep).
func (s *Store) Keep(ctx context.Context, accountID, transmissionID string, document []byte) (Document, error) {
	if len(document) <= smallDocument {
		return Document{size: len(document), row: document}, nil
	}
	d := Document{size: len(document), row: []byte{}, key: documentKey(accountID, transmissionID)}
	if _, err := s.blobs.Put(ctx, d.key, bytes.NewReader(s2.Encode(nil, document))); err != nil {
		return Document{}, fmt.Errorf("keep document of a transmission: %w", err)
	}
	return d, nil
}

// Drop removes what Keep has stored of a document that was not inserted.
func (s *Store) Drop(ctx context.Context, d Document) error {
	if d.key == "" {
		return nil
	}
	if err := s.blobs.Delete(ctx, d.key); err != nil {
		return fmt.Errorf("drop document of a transmission: %w", err)
	}
	return nil
}

// Document gives the envelope of a transmission. The error is ErrNotFound, also where its retention is over.
func (s *Store) Document(ctx context.Context, accountID string, mode account.Mode, transmissionID string) ([]byte, error) {
	if _, err := s.Get(ctx, accountID, mode, transmissionID); err != nil {
		return nil, err
	}
	return s.document(ctx, accountID, transmissionID)
}

func (s *Store) document(ctx context.Context, accountID, transmissionID string) ([]byte, error) {
	var data []byte
	err := s.db.Get(ctx, &data, "SELECT bytes FROM peppol_documents WHERE transmission_id = ?", transmissionID)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNotFound
	}
	if err == nil && len(data) == 0 {
		data, err = s.read(ctx, documentKey(accountID, transmissionID))
	}
	if err != nil {
		return nil, fmt.Errorf("read document of a transmission: %w", err)
	}
	return data, nil
}

// read gives a document that is a blob. The error wraps ErrNotFound where it has gone since its row was read.
func (s *Store) read(ctx context.Context, key string) ([]byte, error) {
	r, err := s.blobs.Get(ctx, key)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, errors.Join(ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close() // it was only read
	packed, err := io.ReadAll(blob.Obedient(ctx, r))
	if err != nil {
		return nil, err
	}
	return s2.Decode(nil, packed)
}
