//go:build chaos

package chaos

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// What stands for the release before as long as there is no tag: a commit with an older schema, and one with roles that can run beside
// those of today.
const (
	olderSchema = "ecf95cc"
	firstRoles  = "7dbf0dc"
)

// before builds the program of the last tag that is an ancestor of this checkout, or of a commit where there is none, and gives its name.
func before(t *testing.T, commit string) (path, version string) {
	t.Helper()
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-c", "safe.directory=*"}, args...)...)
		cmd.Dir = harness.Root(t)
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	version, err := git("describe", "--tags", "--abbrev=0")
	if err != nil {
		version = commit
	}
	path = built("before-"+version, func(into string) string {
		tree := t.TempDir()
		archive := filepath.Join(tree, "tree.tar")
		if _, err := git("archive", "--format=tar", "-o", archive, version); err != nil {
			t.Fatalf("no source of %s: %v (the whole history is needed)", version, err)
		}
		if out, err := exec.Command("tar", "-C", tree, "-xf", archive).CombinedOutput(); err != nil {
			t.Fatalf("unpack: %v: %s", err, out)
		}
		return harness.Build(t, tree, into, "-buildvcs=false")
	})
	return path, version
}

// A10: the release before leaves unfinished jobs, this one does them; and both run beside each other.
func TestA10_RollingUpgrade(t *testing.T) {
	t.Parallel()
	t.Run("restart", func(t *testing.T) {
		old, version := before(t, olderSchema)
		t.Logf("the release before is %s", version)
		upgradeByRestart(t, old)
	})
	t.Run("beside", func(t *testing.T) {
		old, version := before(t, firstRoles)
		t.Logf("the release before is %s", version)
		upgradeBeside(t, old)
	})
}

// upgradeByRestart stops the old service while jobs wait, and starts the new one on its data.
func upgradeByRestart(t *testing.T, old string) {
	h := harness.Open(t, harness.Plan{Setup: harness.Embedded, Program: old})
	customer, audit := harness.NewClient(t, h.NewKey("live"), h.Bases()...), h.Audit()
	orders := harness.Learn(t, customer, harness.Orders(t))
	load := &harness.Load{Client: customer, Orders: orders, Jobs: size(200, 1000), Beside: 8, Seed: 13}
	accepted, _ := raid{jobs: load.Jobs, whom: nobody}.send(t, h, load)
	h.Roles[0].Kill()
	waiting := audit.Unfinished()
	data := h.Data
	next := harness.Open(t, harness.Plan{Setup: harness.Embedded, Program: program(t), Data: data})
	now := next.Audit()
	now.Settled(2 * time.Minute)
	rows := now.Rows()
	for _, job := range accepted {
		if rows[job.ID].State != "succeeded" {
			t.Errorf("%+v", rows[job.ID])
		}
	}
	t.Logf("%d of %d jobs were done after the upgrade", waiting, len(accepted))
	next.StopAll()
	refusesLaterSchema(t, h.Roles[0])
}

// refusesLaterSchema starts the old program on the data of the new one.
func refusesLaterSchema(t *testing.T, old *harness.Role) {
	t.Helper()
	from := len(old.Log())
	old.Start()
	code := old.Ended(20 * time.Second)
	if log := old.Log()[from:]; code == 0 || !strings.Contains(log, "schema") && !strings.Contains(log, "later version") {
		t.Errorf("the release before ended with %d on the data of this one: %s", code, log)
	}
}

// upgradeBeside lets old and new processes share the work, each way round. The old ones are there first, as in an upgrade: the new ones
// bring the schema up to date while those run, which from then on could not be started again.
func upgradeBeside(t *testing.T, old string) {
	orders := ordersOfBoth(t, old)
	for _, c := range []struct{ name, command string }{{"old workers", "worker"}, {"old api", "api"}} {
		t.Run(c.name, func(t *testing.T) {
			h := harness.Prepare(t, harness.Plan{Setup: harness.Shared, Program: program(t)})
			var before, after []*harness.Role
			for i, r := range h.Roles {
				if r.Command == c.command {
					h.Roles[i] = h.NewRole("old-"+r.Name, r.Command, old)
					before = append(before, h.Roles[i])
				} else {
					after = append(after, r)
				}
			}
			startTogether(t, before)
			startTogether(t, after)
			customer, audit := h.Customer(), h.Audit()
			load := &harness.Load{Client: customer, Orders: orders, Jobs: size(200, 1000), Beside: 8, Seed: 14}
			accepted, _ := raid{jobs: load.Jobs, whom: nobody}.send(t, h, load)
			audit.Settled(2 * time.Minute)
			audit.Jobs(accepted, 0)
		})
	}
}

// ordersOfBoth are orders with the answers of this release and of the one before: either may do the work.
func ordersOfBoth(t *testing.T, old string) []harness.Order {
	t.Helper()
	orders := harness.Learn(t, open(t, harness.Embedded).Customer(), harness.Orders(t))
	harness.LearnBefore(t, harness.Open(t, harness.Plan{Setup: harness.Embedded, Program: old}).Customer(), orders)
	return orders
}

// startTogether starts processes, the first of them alone: it brings the schema up to date.
func startTogether(t *testing.T, roles []*harness.Role) {
	t.Helper()
	for i, r := range roles {
		r.Start()
		if i == 0 {
			r.Ready(t)
		}
	}
	for _, r := range roles {
		r.Ready(t)
	}
}
