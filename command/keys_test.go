package command

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/storage/account"
)

// TestKeys ensures that a key is shown once, listed without its secret and gone when revoked.
func TestKeys(t *testing.T) {
	dir := made(t)
	secret, _, code := run(t, "", "keys", "create", "--data", dir, "--mode", "live", "--name", "shop", "--entitlement", "e-invoice:de:*:create")
	if !regexp.MustCompile(`^sk_live_[0-9A-Za-z]+\n$`).MatchString(secret) || code != exitOK {
		t.Fatalf("exit code %d: %s", code, secret)
	}
	list := func() (keys []listedKey) {
		stdout, _, _ := run(t, "", "keys", "list", "--json", "--data", dir)
		dec := json.NewDecoder(strings.NewReader(stdout))
		for dec.More() {
			var k listedKey
			if err := dec.Decode(&k); err != nil {
				t.Fatal(err)
			}
			keys = append(keys, k)
		}
		return keys
	}
	keys := list()
	if len(keys) != 1 || keys[0].Mode != "live" || keys[0].Name != "shop" || strings.Contains(secret, keys[0].Key) || !keys[0].Revoked.IsZero() {
		t.Fatalf("%+v", keys)
	}
	if table, _, _ := run(t, "", "keys", "list", "--data", dir); !regexp.MustCompile(`(?s)^ID +MODE .*\n`+keys[0].ID+` +live .* active `).MatchString(table) || strings.Contains(table, strings.TrimSpace(secret)) {
		t.Errorf("table:\n%s", table)
	}
	if _, stderr, code := run(t, "", "keys", "revoke", keys[0].ID, "--data", dir); code != exitOK || list()[0].Revoked.IsZero() {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if table, _, _ := run(t, "", "keys", "list", "--data", dir); !strings.Contains(table, "revoked 2") {
		t.Errorf("table:\n%s", table)
	}
}

// TestKeys_HaveEntitlementsThatExist ensures that a pattern which covers nothing is refused with the name that was probably meant, and
// that every pattern which covers something is taken.
func TestKeys_HaveEntitlementsThatExist(t *testing.T) {
	t.Parallel()
	dir := made(t)
	for pattern, nearest := range map[string]string{
		"e-invoice:de:xrechung:create":    "e-invoice:de:xrechnung:create",
		"e-invoice:*:*:generate":          "e-invoice:*:*:create",
		"e-invoice:*":                     "admin:*",
		"einvoice:de:xrechnung:parse":     "e-invoice:de:xrechnung:parse",
		"admin:key":                       "admin:keys",
		"admin":                           "admin:*",
		"pdf:de:create":                   "pdf:de:generate",
		"e-invoice:de:xrechnung:create:x": "e-invoice:de:xrechnung:create",
	} {
		_, stderr, code := run(t, "", "keys", "create", "--data", dir, "--entitlement", "admin:keys", "--entitlement", pattern)
		if want := "there is no entitlement " + pattern + "; the nearest is " + nearest + "\nhint: entitlements are "; code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("exit code %d, want %q in %s", code, want, stderr)
		}
	}
	for _, pattern := range append(entitlements(), "*:*", "e-invoice:*:xrechnung:*", "*:de:*") {
		if err := checkEntitlements([]string{pattern}); err != nil {
			t.Error(err)
		}
	}
	if list, _, _ := run(t, "", "keys", "list", "--json", "--data", dir); list != "" {
		t.Errorf("keys were made: %s", list)
	}
}

// TestFirstKeyMayDoEverything ensures that nothing of the interface is refused to who tries it with the key of the first start.
func TestFirstKeyMayDoEverything(t *testing.T) {
	for _, e := range entitlements() {
		if !account.Entitled(first, e) {
			t.Errorf("the first key lacks %s", e)
		}
	}
	if known := entitlements(); len(known) < 100 || !slices.Contains(known, "admin:webhooks") || !slices.Contains(known, "pdf:de:generate") {
		t.Errorf("entitlements: %s", known)
	}
}
