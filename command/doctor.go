package command

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/queue"
)

// doctorCommand is einvoiced doctor.
type doctorCommand struct {
	storeFlags
	rulebooksFlag
	JSON bool `name:"json" help:"Print one line of JSON for each check."`
}

// health is how a check came out.
type health string

// The outcomes of a check. A service runs with what is weak, but promises less.
const (
	sound   health = "ok"
	weak    health = "warning"
	failing health = "failed"
)

// diagnosis is one check of doctor.
type diagnosis struct {
	Check  string `json:"check"`
	Health health `json:"health"`
	Text   string `json:"text"` // what was found, or what is wrong and what to do about it
}

// Run looks at everything that the service stands on, with the settings that the service gets. The exit code is 1 where
// something is broken.
func (c *doctorCommand) Run(m *Main, ctx context.Context) error {
	ill := 0
	err := diagnosisColumns.print(m.Stdout, c.JSON, func(yield func(diagnosis) bool) {
		for d := range c.diagnoses(ctx) {
			if d.Health == failing {
				ill++
			}
			if !yield(d) {
				return
			}
		}
	})
	if err != nil || ill == 0 {
		return err
	}
	return &failure{code: exitInvalid, cause: fmt.Errorf("%d of the checks failed", ill)}
}

var diagnosisColumns = columns[diagnosis]{cells: func(d diagnosis) []string { return []string{string(d.Health), d.Check, d.Text} }}

// diagnoses makes one check after the other.
func (c *doctorCommand) diagnoses(ctx context.Context) iter.Seq[diagnosis] {
	return func(yield func(diagnosis) bool) {
		v := &visit{doctorCommand: c}
		defer v.close()
		for _, check := range []struct {
			name string
			look func(context.Context) (health, string)
		}{
			{"disk", c.disk}, {"database", v.database}, {"queue", c.queue}, {"documents", c.documents}, {"clock", v.clock}, {"plans", v.planned},
			{"rulebooks", c.rulebooks},
		} {
			limited, cancel := context.WithTimeout(ctx, 20*time.Second)
			d := diagnosis{Check: check.name}
			d.Health, d.Text = check.look(limited)
			cancel()
			if !yield(d) {
				return
			}
		}
	}
}

// visit is one run of doctor. Its first look at the database opens it, for those that follow.
type visit struct {
	*doctorCommand
	opened *db.DB
	err    error // why it is not open
}

func (v *visit) close() {
	if v.opened != nil {
		_ = v.opened.Close() // it was only asked
	}
}

// disk looks whether the folder of the service can be written to, and how much fits.
func (c *doctorCommand) disk(context.Context) (health, string) {
	if c.Database != "" && c.S3 != "" {
		return sound, "not needed: database and object store keep everything"
	}
	if _, err := os.Stat(c.Data); err != nil {
		return failing, err.Error() + "; --data (EINVOICED_DATA) names the folder of a service; einvoiced serve makes it"
	}
	start := time.Now()
	if err := probe(c.Data); err != nil {
		return failing, err.Error() + "; --data (EINVOICED_DATA) must be writable"
	}
	took := time.Since(start).Round(100 * time.Microsecond)
	var fs syscall.Statfs_t
	if err := syscall.Statfs(c.Data, &fs); err != nil {
		return weak, "free space unknown: " + err.Error()
	}
	free := fs.Bavail * uint64(fs.Bsize)
	return room(free, fmt.Sprintf("%s: %d MiB free, a synced write takes %s", c.Data, free>>20, took))
}

// fewBytes is the free space below which the disk is weak: some of the largest requests.
const fewBytes = 1 << 30

// room judges the free space of a disk, in bytes, and adds to the text what to know where there is little.
func room(free uint64, text string) (health, string) {
	if free < fewBytes {
		return weak, text + "; requests may have 128 MiB each"
	}
	return sound, text
}

// probe writes a file as the service does.
func probe(dir string) (err error) {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if _, err := f.WriteString("probe"); err != nil {
		return err
	}
	return f.Sync()
}

// database opens it and asks for its health.
func (v *visit) database(ctx context.Context) (health, string) {
	if v.opened, v.err = v.open(ctx, newLog(os.Stderr, "error")); v.err != nil {
		return failing, withHint(v.err)
	}
	found := v.where(v.Database, filepath.Join(v.Data, "einvoiced.db"))
	if err := v.opened.Health(ctx); err != nil {
		return failing, found + ": " + err.Error()
	}
	return sound, found + ": schema is up to date"
}

// where shows an address without its password, or what is used without one.
func (c *doctorCommand) where(address, otherwise string) string {
	if address == "" {
		return otherwise
	}
	scheme, rest, _ := strings.Cut(address, "://")
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		rest = rest[at+1:]
	}
	rest, _, _ = strings.Cut(rest, "?")
	return scheme + "://" + rest
}

// queue asks the Redis server how durable it is.
func (c *doctorCommand) queue(ctx context.Context) (health, string) {
	if c.Redis == "" {
		return sound, "inside the process; jobs are kept by the database"
	}
	q, err := queue.Open(queue.Config{Redis: c.Redis})
	if err != nil {
		return failing, err.Error() + "; --redis (EINVOICED_REDIS) names the server"
	}
	defer func() { _ = q.Close() }() // it was only asked
	found := c.where(c.Redis, "")
	warnings, err := q.Durability(ctx)
	switch {
	case err != nil:
		return failing, found + ": " + err.Error()
	case len(warnings) > 0:
		return weak, found + ": " + strings.Join(warnings, "; ")
	}
	return sound, found + ": appends to its file and evicts nothing"
}

// documents tries the rights that the service needs in the object store.
func (c *doctorCommand) documents(ctx context.Context) (health, string) {
	if c.S3 == "" {
		return sound, c.documentFolder()
	}
	store, err := blob.OpenS3(ctx, blob.S3Config{URL: c.S3, Flag: s3Flag})
	if err != nil {
		return failing, err.Error() + "; --s3 (EINVOICED_S3) names the bucket"
	}
	if err := errors.Join(store.Check(ctx), store.Close()); err != nil {
		return failing, c.where(c.S3, "") + ": " + err.Error()
	}
	return sound, c.where(c.S3, "") + ": can put, read, list and delete"
}

// maxSkew is by how much the clocks of machines may differ: beats are 10 s old when their process counts as dead.
const maxSkew = 2 * time.Second

// clock compares this machine's clock with the database server's.
func (v *visit) clock(ctx context.Context) (health, string) {
	switch {
	case v.Database == "":
		return sound, time.Now().UTC().Format(time.RFC3339) + "; there is no other to compare with"
	case v.err != nil:
		return failing, withHint(v.err)
	}
	skew, err := skewOf(ctx, v.opened)
	if err != nil {
		return failing, err.Error()
	}
	text := fmt.Sprintf("%s from the database server's clock", skew.Round(time.Millisecond))
	if skew.Abs() > maxSkew {
		return failing, text + "; keep all machines in step with NTP"
	}
	return sound, text
}

// skewOf is how far the clock here is ahead of the database server's.
func skewOf(ctx context.Context, database *db.DB) (time.Duration, error) {
	var there int64
	before := time.Now()
	if err := database.Get(ctx, &there, "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"); err != nil {
		return 0, fmt.Errorf("ask the database for its time: %w", err)
	}
	middle := before.Add(time.Since(before) / 2)
	return middle.Sub(time.UnixMilli(there)), nil
}

// planned looks whether every plan that accounts have is configured.
func (v *visit) planned(ctx context.Context) (health, string) {
	if v.err != nil {
		return failing, withHint(v.err)
	}
	plans, err := v.plans()
	if err != nil {
		return failing, withHint(err)
	}
	accounts, err := account.New(account.Config{Plans: plans}, v.opened)
	if err != nil {
		return failing, err.Error()
	}
	missing, err := unplanned(ctx, accounts, plans)
	switch {
	case err != nil:
		return failing, withHint(err)
	case len(missing) > 0:
		return failing, "accounts have plans that are not configured: " + strings.Join(missing, ", ") + "; --plans (EINVOICED_PLANS) names the file"
	}
	return sound, "every plan that accounts have is configured"
}

// rulebooks loads them all.
func (c *doctorCommand) rulebooks(ctx context.Context) (health, string) {
	registry, err := c.registry(ctx)
	if err != nil {
		return failing, withHint(err)
	}
	g := registry.Current()
	return sound, fmt.Sprintf("%d, digest %.12s", len(g.Books()), g.Digest)
}

// withHint is an error with what the command line would add.
func withHint(err error) string {
	if f := failureOf(err); f.hint != "" {
		return f.cause.Error() + "; " + f.hint
	}
	return err.Error()
}
