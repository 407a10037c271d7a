package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
)

// keysCommand is einvoiced keys.
type keysCommand struct {
	Create keysCreate `cmd:"" help:"Create a key and print it; it cannot be shown again."`
	List   keysList   `cmd:"" help:"List the keys, without their secrets."`
	Revoke keysRevoke `cmd:"" help:"Revoke a key. A running service follows within 5 s."`
}

// keysCreate is einvoiced keys create.
type keysCreate struct {
	dataFlag
	Name        string   `placeholder:"TEXT" help:"What the key is for."`
	Mode        string   `enum:"test,live" default:"test" help:"test or live; default ${default}."`
	Entitlement []string `placeholder:"PATTERN" help:"What the key may do, e.g. e-invoice:de:*:create; * is one segment. May be repeated. By default generation and parsing of everything."`
	Account     string   `placeholder:"ID" help:"Account that the key belongs to; needed when there is more than one."`
}

// Run prints the secret alone to standard output.
func (c *keysCreate) Run(m *Main, ctx context.Context) error {
	if len(c.Entitlement) == 0 {
		c.Entitlement = everything
	}
	if err := checkEntitlements(c.Entitlement); err != nil {
		return err
	}
	return c.withAccounts(ctx, m, func(accounts *account.Store) error {
		owner, err := ownerOf(ctx, accounts, c.Account)
		if err != nil {
			return err
		}
		key, secret, err := accounts.Create(ctx, account.NewKey{
			AccountID: owner, Mode: account.Mode(c.Mode), Name: c.Name, Entitlements: c.Entitlement,
		})
		switch {
		case errors.Is(err, account.ErrInvalid):
			return &failure{code: exitUsage, cause: err, hint: entitlementsHint()}
		case errors.Is(err, account.ErrNotFound):
			return &failure{code: exitUsage, cause: fmt.Errorf("there is no account %s", owner), hint: "einvoiced accounts list shows the ids"}
		case err != nil:
			return err
		}
		fmt.Fprintf(m.Stderr, "created %s key %s of account %s: %s\n", key.Mode, key.ID, owner, strings.Join(key.Entitlements, " "))
		_, err = fmt.Fprintln(m.Stdout, secret)
		return err
	})
}

// keysList is einvoiced keys list.
type keysList struct {
	dataFlag
	JSON bool `name:"json" help:"Print one line of JSON for each key."`
}

// listedKey is a key as it is listed.
type listedKey struct {
	ID           string       `json:"id"`
	Account      string       `json:"account"`
	Mode         account.Mode `json:"mode"`
	Name         string       `json:"name"`
	Key          string       `json:"key"` // beginning and end of the secret
	Entitlements []string     `json:"entitlements"`
	Created      time.Time    `json:"created"`
	LastUsed     time.Time    `json:"lastUsed,omitzero"`
	Revoked      time.Time    `json:"revoked,omitzero"`
}

// Run prints the keys of all accounts, oldest first.
func (c *keysList) Run(m *Main, ctx context.Context) error {
	return c.withAccounts(ctx, m, func(accounts *account.Store) error {
		keys, err := allKeys(ctx, accounts)
		if err != nil {
			return err
		}
		return keyColumns.print(m.Stdout, c.JSON, slices.Values(keys))
	})
}

var keyColumns = columns[listedKey]{
	head: []string{"ID", "MODE", "KEY", "ACCOUNT", "CREATED", "LAST USED", "STATE", "NAME", "ENTITLEMENTS"},
	cells: func(k listedKey) []string {
		return []string{k.ID, string(k.Mode), k.Key, k.Account, day(k.Created), day(k.LastUsed), k.state(), k.Name, strings.Join(k.Entitlements, " ")}
	},
}

// state tells people whether the key can be used.
func (k listedKey) state() string {
	if k.Revoked.IsZero() {
		return "active" // live is a mode
	}
	return "revoked " + day(k.Revoked)
}

func allKeys(ctx context.Context, accounts *account.Store) ([]listedKey, error) {
	owners, err := accounts.Accounts(ctx)
	if err != nil {
		return nil, err
	}
	var all []listedKey
	for _, owner := range owners {
		for _, mode := range modes {
			keys, err := accounts.List(ctx, owner.ID, mode)
			if err != nil {
				return nil, err
			}
			for _, k := range keys {
				all = append(all, listedKey{k.ID, k.AccountID, k.Mode, k.Name, k.Prefix + "…" + k.LastFour, k.Entitlements, k.Created, k.LastUsed, k.Revoked})
			}
		}
	}
	return all, nil
}

func day(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.DateOnly)
}

// keysRevoke is einvoiced keys revoke.
type keysRevoke struct {
	dataFlag
	ID string `arg:"" help:"Id of the key (key_…)."`
}

// Run revokes the key, whichever account and mode it belongs to: who may open the folder owns them all.
func (c *keysRevoke) Run(m *Main, ctx context.Context) error {
	return c.withAccounts(ctx, m, func(accounts *account.Store) error {
		keys, err := allKeys(ctx, accounts)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if k.ID == c.ID {
				return accounts.Revoke(ctx, k.Account, k.Mode, k.ID)
			}
		}
		return &failure{code: exitUsage, cause: fmt.Errorf("there is no key %s", c.ID), hint: "einvoiced keys list shows the ids"}
	})
}

// ownerOf gives the account that is named, or the only one; where there is none it is made.
func ownerOf(ctx context.Context, accounts *account.Store, id string) (string, error) {
	list, err := accounts.Accounts(ctx)
	switch {
	case err != nil:
		return "", err
	case id != "":
		return id, nil
	case len(list) == 1:
		return list[0].ID, nil
	case len(list) > 1:
		return "", &failure{code: exitUsage, cause: fmt.Errorf("there are %d accounts", len(list)), hint: "choose one with --account"}
	}
	made, err := accounts.CreateAccount(ctx, "default")
	return made.ID, err
}
