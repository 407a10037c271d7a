package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An account gets a plan that is configured, and no other.
func TestAccounts_GetPlansThatAreConfigured(t *testing.T) {
	data, plans := made(t), filepath.Join(t.TempDir(), "plans.yaml")
	if err := os.WriteFile(plans, []byte("plans:\n  tiny:\n    lines: 25\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	id, stderr, code := run(t, "", "accounts", "create", "Musterfirma", "--data", data)
	if code != exitOK || !strings.HasPrefix(id, "acc_") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	id = strings.TrimSpace(id)
	for _, c := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"--plan", "tiny"}, exitUsage, "tiny"},
		{[]string{"--plan", "tiny", "--plans", "no-such-file"}, exitUsage, "--plans (EINVOICED_PLANS)"},
		{[]string{"--plan", "huge", "--plans", plans}, exitUsage, "huge"},
		{[]string{"--plan", "tiny", "--plans", plans}, exitOK, ""},
		{[]string{"--plan", ""}, exitOK, ""},
		{[]string{"--plan", "tiny", "--plans", plans, "--lapsed"}, exitOK, ""},
	} {
		_, stderr, code := run(t, "", append([]string{"accounts", "update", id, "--data", data}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%v: exit code %d: %s", c.args, code, stderr)
		}
	}
	list, _, code := run(t, "", "accounts", "list", "--json", "--data", data)
	if code != exitOK || !strings.Contains(list, `"plan":"tiny","lapsed":true`) {
		t.Errorf("exit code %d: %s", code, list)
	}
	if _, stderr, code := run(t, "", "accounts", "update", "acc_none", "--data", data, "--name", "x"); code != exitUsage || !strings.Contains(stderr, "einvoiced accounts list") {
		t.Errorf("unknown account: exit code %d: %s", code, stderr)
	}
}
