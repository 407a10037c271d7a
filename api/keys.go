package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Accounts keeps accounts and their keys; *account.Store does.
type Accounts interface {
	Create(ctx context.Context, n account.NewKey, along ...account.Along) (key account.Key, secret string, err error)
	Key(ctx context.Context, accountID string, mode account.Mode, keyID string) (account.Key, error)
	Keys(ctx context.Context, accountID string, mode account.Mode, p db.Page) (keys []account.Key, more bool, err error)
	Revoke(ctx context.Context, accountID string, mode account.Mode, keyID string) error
	Rotate(ctx context.Context, accountID string, mode account.Mode, keyID string, overlap time.Duration, along ...account.Along) (key account.Key, secret string, err error)
	Get(ctx context.Context, accountID string) (account.Account, error)
	Update(ctx context.Context, accountID string, c account.Change) (account.Account, error)
}

var _ Accounts = (*account.Store)(nil)

// keyView is a key as the API shows it.
type keyView struct {
	ID           string       `json:"id"`
	Name         string       `json:"name"`
	Mode         account.Mode `json:"mode"`
	Prefix       string       `json:"prefix"`
	LastFour     string       `json:"lastFour"`
	Entitlements []string     `json:"entitlements"`
	Created      time.Time    `json:"created"`
	Revoked      time.Time    `json:"revoked,omitzero"`
	LastUsed     time.Time    `json:"lastUsed,omitzero"`
	Previous     *secretView  `json:"previousSecret,omitzero"` // while it works
	Secret       string       `json:"secret,omitzero"`         // once, when it is made
}

// secretView is a secret that was superseded and still works.
type secretView struct {
	Prefix   string    `json:"prefix"`
	LastFour string    `json:"lastFour"`
	Until    time.Time `json:"until"`
	LastUsed time.Time `json:"lastUsed,omitzero"`
}

func viewOfKey(k account.Key, secret string) keyView {
	v := keyView{
		ID: k.ID, Name: k.Name, Mode: k.Mode, Prefix: k.Prefix, LastFour: k.LastFour, Entitlements: k.Entitlements,
		Created: k.Created, Revoked: k.Revoked, LastUsed: k.LastUsed, Secret: secret,
	}
	if old := k.Old; old != nil {
		v.Previous = &secretView{Prefix: old.Prefix, LastFour: old.LastFour, Until: old.Until, LastUsed: old.LastUsed}
	}
	return v
}

// newKey is what a key is asked for with.
type newKey struct {
	Name         string        `json:"name"`
	Mode         *account.Mode `json:"mode"` // that of the asking key; may be left out
	Entitlements []string      `json:"entitlements"`
}

// check refuses what the asking key cannot give.
func (n *newKey) check(by *account.Key) error {
	if n.Mode != nil && *n.Mode != by.Mode {
		return badField("mode", finding.InvalidValue, fmt.Sprintf("mode: must be %s, the mode of the key that asks; or leave it out", by.Mode))
	}
	if len(n.Entitlements) == 0 {
		return badField("entitlements", finding.MissingField, "entitlements: is missing; a key needs at least one")
	}
	for i, e := range n.Entitlements {
		if err := account.CheckPattern(e); err != nil {
			field := fmt.Sprintf("entitlements[%d]", i)
			return badField(field, finding.InvalidValue, field+": must be segments of a-z, 0-9 and hyphens, or *, joined by colons")
		}
		if err := require(by, e); err != nil {
			return err
		}
	}
	return nil
}

// createKey is POST /api/v1/keys: a key of the asking key's account and mode, with no more entitlements than that has.
func (s *Server) createKey(c *call) (*answer, error) {
	var body newKey
	if err := s.readMembers(c, &body); err != nil {
		return nil, err
	}
	if err := body.check(c.key); err != nil {
		return nil, err
	}
	n := account.NewKey{AccountID: c.key.AccountID, Mode: c.key.Mode, Name: body.Name, Entitlements: slices.Clip(body.Entitlements)}
	var a *answer
	if _, _, err := s.Accounts.Create(c.r.Context(), n, s.keepKey(c, &a)); err != nil {
		return nil, err
	}
	return a, nil
}

// keepKey makes and keeps the answer that shows a key with its new secret. It does so in the transaction that makes the
// secret: a request that is repeated gets the same one, which nothing else shows again.
func (s *Server) keepKey(c *call, a **answer) account.Along {
	return func(tx *db.Tx, key account.Key, secret string) error {
		*a = jsonAnswer(http.StatusOK, viewOfKey(key, secret))
		return s.keep(c, tx, *a)
	}
}

// administers tells whether a key may see and change another one: it must have all that the other has. Rotating a key shows
// its new secret, and with that gives all it may do.
func administers(key *account.Key, other account.Key) bool {
	return !slices.ContainsFunc(other.Entitlements, func(e string) bool { return !account.Entitled(key.Entitlements, e) })
}

// errNoKey is the same for keys that are unknown, another's, or more than the asking key.
var errNoKey = &finding.Refusal{Kind: finding.NotFound, Message: "API key does not exist"}

// administered gives the key of the path.
func (s *Server) administered(c *call) (account.Key, error) {
	key, err := s.Accounts.Key(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	if err == nil && !administers(c.key, key) {
		err = errNoKey
	}
	return key, err
}

// getKey is GET /api/v1/keys/{id}.
func (s *Server) getKey(c *call) (*answer, error) {
	key, err := s.administered(c)
	if err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, viewOfKey(key, "")), nil
}

// listKeys is GET /api/v1/keys. It leaves out keys that have more than the asking one.
func (s *Server) listKeys(c *call) (*answer, error) {
	return listing[account.Key, keyView]{
		path: "/api/v1/keys",
		list: func(p db.Page) ([]account.Key, bool, error) {
			return s.Accounts.Keys(c.r.Context(), c.key.AccountID, c.key.Mode, p)
		},
		id:   func(key account.Key) string { return key.ID },
		show: func(key account.Key) (keyView, bool) { return viewOfKey(key, ""), administers(c.key, key) },
	}.answer(c.r.URL.Query())
}

// deleteKey is DELETE /api/v1/keys/{id}: the key is revoked, and stays in the list.
func (s *Server) deleteKey(c *call) (*answer, error) {
	key, err := s.administered(c)
	if err != nil {
		return nil, err
	}
	if err := s.Accounts.Revoke(c.r.Context(), c.key.AccountID, c.key.Mode, key.ID); err != nil {
		return nil, err
	}
	if key, err = s.Accounts.Key(c.r.Context(), c.key.AccountID, c.key.Mode, key.ID); err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, viewOfKey(key, "")), nil
}

// rotateKey is POST /api/v1/keys/{id}/rotate: the key gets a new secret and keeps its id; the old secret works for a while.
func (s *Server) rotateKey(c *call) (*answer, error) {
	body := struct {
		Overlap *int64 `json:"overlapSeconds"`
	}{}
	if err := s.readMembers(c, &body); err != nil {
		return nil, err
	}
	overlap := account.DefaultOverlap
	if n := body.Overlap; n != nil {
		if *n < 0 || *n > int64(account.MaxOverlap/time.Second) {
			return nil, badField("overlapSeconds", finding.InvalidValue,
				fmt.Sprintf("overlapSeconds: must be a whole number from 0 to %d", int64(account.MaxOverlap/time.Second)))
		}
		overlap = time.Duration(*n) * time.Second
	}
	key, err := s.administered(c)
	if err != nil {
		return nil, err
	}
	var a *answer
	if _, _, err := s.Accounts.Rotate(c.r.Context(), c.key.AccountID, c.key.Mode, key.ID, overlap, s.keepKey(c, &a)); err != nil {
		return nil, err
	}
	return a, nil
}
