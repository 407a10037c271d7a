package command

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/docs"
	"github.com/einvoiced/einvoiced/storage/account"
)

// usePause is how often the times of last use of keys are written.
const usePause = time.Minute

// welcome makes an account and a test key at the first start on a loopback address and prints, once, how to use them. On
// another address a key must be made by hand: standard output may end in a log there.
func (h *house) welcome(ctx context.Context, m *Main, address string) error {
	if h.api == nil {
		return nil
	}
	owners, err := h.accounts.Accounts(ctx)
	if err != nil || len(owners) > 0 {
		return err
	}
	if !loopback(address) {
		_, err := fmt.Fprintf(m.Stdout, "There is no API key yet. Create one with: einvoiced keys create --data %s\n", quote(h.settings.Data))
		return err
	}
	owner, err := h.accounts.CreateAccount(ctx, "default")
	if err != nil {
		return err
	}
	_, secret, err := h.accounts.Create(ctx, account.NewKey{
		AccountID: owner.ID, Mode: account.Test, Name: "first start", Entitlements: everything,
	})
	if err != nil {
		return err
	}
	text, err := greeting("http://"+address, secret)
	if err != nil {
		return err
	}
	_, err = m.Stdout.Write(text)
	return err
}

// greeting is the text of the first start; its curl line can be pasted into a shell.
func greeting(base, secret string) ([]byte, error) {
	body := jsontext.Value(docs.Example())
	if err := body.Compact(); err != nil {
		return nil, fmt.Errorf("read the example: %w", err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "einvoiced is ready.\n\nBase URL: %s\nTest key: %s\n\n", base, secret)
	fmt.Fprintf(&b, "The key is shown only now; einvoiced keys create makes others. Documentation: %s/docs/\n", base)
	fmt.Fprintf(&b, "Try it by pasting this line:\n\n")
	fmt.Fprintf(&b, "curl -sS -X POST -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d %s '%s/api/v1/invoice/de/xrechnung/generate'\n\n",
		secret, quote(string(body)), base)
	return b.Bytes(), nil
}

// quote makes a shell word.
func quote(s string) string {
	return "'" + string(bytes.ReplaceAll([]byte(s), []byte("'"), []byte(`'\''`))) + "'"
}

// loopback tells whether only this machine can reach the address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
