// Package account keeps accounts and their API keys.
//
// A key's secret is shown once, when it is created; stored are a lookup id that is no secret, the SHA-256 of the whole
// secret (256 random bits need no slow hash), its last four characters, mode and entitlements.
package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
)

// Errors of this package, for errors.Is.
var (
	ErrUnauthorized = errors.New("no live API key has this secret")
	ErrNotFound     = errors.New("no such account or key")
	ErrTooMany      = errors.New("the account has as many keys as it may have")
	ErrInvalid      = errors.New("not acceptable") // wrapped with what is wrong
)

// Mode separates test from live: keys, jobs and whatever belongs to an account belong to one of its modes.
type Mode string

// The modes.
const (
	Test Mode = "test" // reaches no network outside and uses no quota
	Live Mode = "live"
)

// Account is who keys, jobs and usage belong to.
type Account struct {
	ID                string // acc_…
	Name              string
	Created           time.Time       // to the millisecond
	Plan              string          // the name of a configured plan; empty: unlimited
	Lapsed            bool            // the subscription has ended: every quota is 0
	NotificationEmail string          // where failures of deliveries are told; may be empty
	Defaults          json.RawMessage // a JSON object, what its requests leave out
}

// Key is an API key without its secret.
type Key struct {
	ID           string // key_…
	AccountID    string
	Mode         Mode
	Name         string   // what its owner calls it; may be empty
	Prefix       string   // the beginning of the secret, up to its lookup id: sk_test_Ab12Cd34
	LastFour     string   // the end of the secret
	Entitlements []string // patterns, see Entitled
	Created      time.Time
	Revoked      time.Time  // zero while the key is live
	LastUsed     time.Time  // of the present secret, to the minute, a while late; zero before the first use
	Old          *OldSecret // the secret before the present one; nil where there was none or it works no more
	Account      Standing   // of the account, at most Config.CacheFor old
}

// OldSecret is what a key's secret was before it was rotated.
type OldSecret struct {
	Prefix   string
	LastFour string
	Until    time.Time // it works before this moment
	LastUsed time.Time // as Key.LastUsed
}

// Standing is what an account may do.
type Standing struct {
	Plan   string `db:"plan"`
	Lapsed bool   `db:"lapsed"`
}

// Config sets up a Store.
type Config struct {
	Clock    clock.Clock   // Default: the system's clock.
	CacheFor time.Duration // how long a verified secret is believed without asking the database, which is how late another process's revocation takes effect here. At most 5 s. Default: 5 s.
	Plans    Plans         // that accounts may be given. Default: none but the empty one.
}

// Store keeps accounts and keys in the database. It is safe for concurrent use.
type Store struct {
	db       *db.DB
	clock    clock.Clock
	plans    Plans
	verified *cache
	usedMu   sync.Mutex
	used     map[string]int64 // a secret's lookup id to the minute of its last use, not yet written
}

// New prepares a Store.
func New(cfg Config, database *db.DB) (*Store, error) {
	const most = 5 * time.Second
	if cfg.CacheFor < 0 || cfg.CacheFor > most {
		return nil, fmt.Errorf("accounts: CacheFor is %s, allowed are 0 (meaning 5 s) to 5 s", cfg.CacheFor)
	}
	if cfg.CacheFor == 0 {
		cfg.CacheFor = most
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.System{}
	}
	if cfg.Plans == nil {
		cfg.Plans = noPlans{}
	}
	return &Store{db: database, clock: cfg.Clock, plans: cfg.Plans, verified: newCache(cfg.CacheFor), used: map[string]int64{}}, nil
}

// MemberError says what is wrong with one member of an account or a key, by its name in the API. It is an ErrInvalid.
type MemberError struct{ Member, Message string }

// Error names the member.
func (e *MemberError) Error() string { return e.Member + ": " + e.Message }

// Is tells that it is an ErrInvalid.
func (e *MemberError) Is(target error) bool { return target == ErrInvalid }

func wrong(member, format string, args ...any) error {
	return &MemberError{member, fmt.Sprintf(format, args...)}
}

// maxName is the most characters of an account's or key's name.
const maxName = 200

func checkName(name string) error {
	if utf8.RuneCountInString(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return wrong("name", "must have at most %d characters and no control characters", maxName)
	}
	return nil
}

func checkAccountName(name string) error {
	if strings.TrimSpace(name) == "" {
		return wrong("name", "must not be empty")
	}
	return checkName(name)
}

const insertAccount = "INSERT INTO accounts (id, name, created) VALUES (:id, :name, :created)"

// CreateAccount makes an account without a plan. The error is ErrInvalid for an empty or overlong name.
func (s *Store) CreateAccount(ctx context.Context, name string) (Account, error) {
	if err := checkAccountName(name); err != nil {
		return Account{}, err
	}
	now := s.clock.Now()
	row := accountRow{ID: id.New("acc", now), Name: name, Created: clock.Millis(now), Defaults: "{}"}
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		_, err := tx.Named(insertAccount, row)
		return err
	})
	if err != nil {
		return Account{}, fmt.Errorf("create account: %w", err)
	}
	return row.account(), nil
}

// Accounts lists all accounts, oldest first.
func (s *Store) Accounts(ctx context.Context) ([]Account, error) {
	var rows []accountRow
	if err := s.db.Select(ctx, &rows, "SELECT "+accountColumns+" FROM accounts ORDER BY id"); err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	list := make([]Account, len(rows))
	for i, r := range rows {
		list[i] = r.account()
	}
	return list, nil
}
