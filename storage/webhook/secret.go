package webhook

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// SecretPrefix begins every secret; base64 of 32 random bytes follows.
const SecretPrefix = "whsec_"

func newSecret() string {
	var random [32]byte
	rand.Read(random[:])
	return SecretPrefix + base64.StdEncoding.EncodeToString(random[:])
}

// Secrets are what the requests to an endpoint are signed with.
type Secrets struct {
	Current  string
	Previous string    // before the last rotation; empty where it signs no more
	Until    time.Time // when it stops; zero without one
}

// open gives the secrets of a row. The error is of package seal.
func (s *Store) open(r endpointRow) (Secrets, error) {
	current, err := s.sealer.Open(r.Secret, r.ID)
	if err != nil {
		return Secrets{}, fmt.Errorf("open secret of webhook %s: %w", r.ID, err)
	}
	secrets := Secrets{Current: string(current)}
	if r.PreviousSecret == nil || r.PreviousUntil.Int64 <= s.now() {
		return secrets, nil
	}
	previous, err := s.sealer.Open(r.PreviousSecret, r.ID)
	if err != nil {
		return Secrets{}, fmt.Errorf("open previous secret of webhook %s: %w", r.ID, err)
	}
	secrets.Previous, secrets.Until = string(previous), clock.Time(r.PreviousUntil.Int64)
	return secrets, nil
}

// Secret gives the secrets of an endpoint. The error is ErrNotFound.
func (s *Store) Secret(ctx context.Context, accountID string, mode account.Mode, endpointID string) (Secrets, error) {
	r, err := s.read(ctx, accountID, mode, endpointID)
	if err != nil {
		return Secrets{}, err
	}
	return s.open(r)
}

// Rotate gives an endpoint a new secret. The one before signs beside it for Config.Overlap; an older one stops at once. The error
// is ErrNotFound.
func (s *Store) Rotate(ctx context.Context, accountID string, mode account.Mode, endpointID string, along ...Along) (Endpoint, Secrets, error) {
	var secrets Secrets
	r, err := s.change(ctx, accountID, mode, endpointID, func(r *endpointRow) error {
		r.PreviousSecret, r.PreviousUntil = nil, sql.NullInt64{}
		if _, err := s.sealer.Open(r.Secret, r.ID); err == nil { // what cannot be opened can sign nothing
			r.PreviousSecret = r.Secret
			r.PreviousUntil = sql.NullInt64{Int64: clock.Millis(s.cfg.Clock.Now().Add(s.cfg.Overlap)), Valid: true}
		}
		r.Secret = s.sealer.Seal([]byte(newSecret()), r.ID)
		return nil
	}, func(tx *db.Tx, r endpointRow) (err error) {
		if secrets, err = s.open(r); err != nil {
			return err
		}
		return s.goAlong(tx, r, secrets, along)
	})
	if err != nil {
		return Endpoint{}, Secrets{}, err
	}
	return r.endpoint(s.now()), secrets, nil
}
