package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
)

// accountsCommand is einvoiced accounts.
type accountsCommand struct {
	Create accountsCreate `cmd:"" help:"Create an account and print its id."`
	List   accountsList   `cmd:"" help:"List the accounts."`
	Update accountsUpdate `cmd:"" help:"Change an account: its name, plan, subscription or address for notices."`
}

// accountsCreate is einvoiced accounts create.
type accountsCreate struct {
	dataFlag
	Name string `arg:"" help:"Name of the account."`
}

// Run prints the id alone to standard output.
func (c *accountsCreate) Run(m *Main, ctx context.Context) error {
	return c.withAccounts(ctx, m, func(accounts *account.Store) error {
		made, err := accounts.CreateAccount(ctx, c.Name)
		if err != nil {
			return accountFailure(err)
		}
		_, err = fmt.Fprintln(m.Stdout, made.ID)
		return err
	})
}

// accountsList is einvoiced accounts list.
type accountsList struct {
	dataFlag
	JSON bool `name:"json" help:"Print one line of JSON for each account."`
}

// listedAccount is an account as it is listed.
type listedAccount struct {
	ID                string    `json:"id"`
	Name              string    `json:"name"`
	Plan              string    `json:"plan"` // empty: unlimited
	Lapsed            bool      `json:"lapsed"`
	NotificationEmail string    `json:"notificationEmail"`
	Created           time.Time `json:"created"`
}

// Run prints the accounts, oldest first.
func (c *accountsList) Run(m *Main, ctx context.Context) error {
	return c.withAccounts(ctx, m, func(accounts *account.Store) error {
		list, err := accounts.Accounts(ctx)
		if err != nil {
			return err
		}
		return accountColumns.print(m.Stdout, c.JSON, mapped(list, func(a account.Account) listedAccount {
			return listedAccount{a.ID, a.Name, a.Plan, a.Lapsed, a.NotificationEmail, a.Created}
		}))
	})
}

var accountColumns = columns[listedAccount]{
	head: []string{"ID", "NAME", "PLAN", "LAPSED", "NOTICES TO", "CREATED"},
	cells: func(a listedAccount) []string {
		return []string{a.ID, a.Name, orDash(a.Plan), yesNo(a.Lapsed), orDash(a.NotificationEmail), day(a.Created)}
	},
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// accountsUpdate is einvoiced accounts update.
type accountsUpdate struct {
	dataFlag
	plansFlag
	ID                string  `arg:"" help:"Id of the account (acc_…)."`
	Name              *string `placeholder:"TEXT" help:"New name."`
	Plan              *string `placeholder:"PLAN" help:"One of the plans of --plans; empty means unlimited."`
	Lapsed            *bool   `negatable:"" help:"The subscription has lapsed: nothing that counts is done any more."`
	NotificationEmail *string `placeholder:"ADDRESS" help:"Where notices go; empty means nowhere."`
}

// Run changes what is given.
func (c *accountsUpdate) Run(m *Main, ctx context.Context) error {
	plans, err := c.plans()
	if err != nil {
		return err
	}
	return c.withPlannedAccounts(ctx, m, plans, func(accounts *account.Store) error {
		_, err := accounts.Update(ctx, c.ID, account.Change{
			Name: c.Name, Plan: c.Plan, Lapsed: c.Lapsed, NotificationEmail: c.NotificationEmail,
		})
		return accountFailure(err)
	})
}

// accountFailure blames the command line for what it asks for.
func accountFailure(err error) error {
	switch {
	case errors.Is(err, account.ErrInvalid):
		return &failure{code: exitUsage, cause: err}
	case errors.Is(err, account.ErrNotFound):
		return &failure{code: exitUsage, cause: err, hint: "einvoiced accounts list shows the ids"}
	}
	return err
}
