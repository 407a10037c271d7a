package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// document reads the job's artifact.
func (f *fixture) document(t testing.TB, job Job) (string, error) {
	t.Helper()
	r, err := f.Artifact(t.Context(), job)
	if err != nil {
		return "", err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return string(data), err
}

func TestPagesOfTheListJoinInBothDirections(t *testing.T) {
	f := newFixture(t)
	var newestFirst []string
	for range 25 {
		f.clock.Add(time.Millisecond)
		newestFirst = slices.Insert(newestFirst, 0, f.accept(t, "x").ID)
	}
	for limit := 1; limit <= 26; limit += 5 {
		if got := f.walk(t, Page{Limit: limit}, func(p *Page, ids []string) { p.StartingAfter = ids[len(ids)-1] }); !slices.Equal(got, newestFirst) {
			t.Errorf("forwards with limit %d: %d of %d jobs or another order", limit, len(got), len(newestFirst))
		}
		back := f.walk(t, Page{Limit: limit, EndingBefore: newestFirst[24]}, func(p *Page, ids []string) { p.EndingBefore = ids[0] })
		slices.Sort(back)
		slices.Reverse(back)
		if !slices.Equal(back, newestFirst[:24]) {
			t.Errorf("backwards with limit %d: %d of 24 jobs", limit, len(back))
		}
	}
}

// walk collects the ids of all pages; next moves the cursor.
func (f *fixture) walk(t *testing.T, p Page, next func(*Page, []string)) (all []string) {
	t.Helper()
	for {
		jobs, more, err := f.List(t.Context(), f.account, account.Test, p)
		if err != nil {
			t.Fatal(err)
		}
		ids := make([]string, len(jobs))
		for i, j := range jobs {
			ids[i] = j.ID
		}
		if !slices.IsSortedFunc(ids, func(a, b string) int { return strings.Compare(b, a) }) {
			t.Errorf("page %+v is not newest first", p)
		}
		all = append(all, ids...)
		if !more {
			return all
		}
		next(&p, ids)
	}
}

func TestPagesThatAreNoneAreRefused(t *testing.T) {
	f := newFixture(t)
	for _, p := range []Page{{Limit: -1}, {Limit: 101}, {StartingAfter: "a", EndingBefore: "b"}} {
		if _, _, err := f.List(t.Context(), f.account, account.Test, p); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: error %v, want ErrInvalid", p, err)
		}
	}
	for range 21 {
		f.accept(t, "x")
	}
	if jobs, more, err := f.List(t.Context(), f.account, account.Test, Page{}); err != nil || len(jobs) != 20 || !more {
		t.Errorf("without a limit: %d jobs, more %t, error %v", len(jobs), more, err)
	}
}

func TestDamagedBytesAreNeverHandedOut(t *testing.T) {
	for name, change := range map[string]func([]byte) []byte{
		"changed": func(b []byte) []byte { b[1] ^= 1; return b },
		"short":   func(b []byte) []byte { return b[:len(b)-1] },
		"long":    func(b []byte) []byte { return append(b, 'x') },
		"empty":   func([]byte) []byte { return []byte{} },
	} {
		t.Run(name, func(t *testing.T) {
			inBoth(t, func(t *testing.T, f *fixture) {
				run := f.claim(t, f.accept(t, "input"))
				do(t, f.Finish(t.Context(), run, done))
				job := f.get(t, run)
				f.damage(t, job, change)
				_, inputErr := f.Input(t.Context(), job)
				_, answerErr := f.Answer(t.Context(), job)
				_, artifactErr := f.document(t, job)
				for what, err := range map[string]error{"input": inputErr, "answer": answerErr, "artifact": artifactErr} {
					if !errors.Is(err, ErrCorrupt) {
						t.Errorf("%s: error %v, want ErrCorrupt", what, err)
					}
				}
			})
		})
	}
}

// damage changes all that is kept of the job, where it is kept.
func (f *fixture) damage(t *testing.T, job Job, change func([]byte) []byte) {
	t.Helper()
	for _, d := range []datum{{run: 0, name: inputName}, {run: job.Run, name: answerName}, {run: job.Run, name: artifactName}} {
		var data []byte
		if err := f.db.Get(t.Context(), &data, "SELECT bytes FROM job_data WHERE job_id = ? AND run = ? AND name = ?", job.ID, d.run, d.name); err == nil {
			do(t, f.db.Write(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Exec("UPDATE job_data SET bytes = ? WHERE job_id = ? AND run = ? AND name = ?", change(data), job.ID, d.run, d.name)
				return err
			}))
			continue
		}
		key := blob.Key(f.account, job.ID, d.run, d.name)
		_, err := f.blobs.Put(t.Context(), key, bytes.NewReader(change(f.kept(t, key))))
		do(t, err)
	}
}

// lose removes all that is kept, rows apart.
func (f *fixture) lose(t *testing.T) {
	t.Helper()
	do(t, f.blobs.DeleteAll(t.Context(), f.account), f.db.Write(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Exec("DELETE FROM job_data")
		return err
	}))
}

func TestEmptyInputAndAnswerComeBack(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		run := f.claim(t, f.accept(t, ""))
		do(t, f.Finish(t.Context(), run, Output{Status: 204, Document: &Document{"empty.txt", "text/plain", Bytes(nil)}}))
		job := f.get(t, run)
		input, inputErr := f.Input(t.Context(), job)
		answer, answerErr := f.Answer(t.Context(), job)
		document, documentErr := f.document(t, job)
		if got := fmt.Sprint(string(input), string(answer), document); got != "" || errors.Join(inputErr, answerErr, documentErr) != nil {
			t.Errorf("came back as %q, errors %v", got, errors.Join(inputErr, answerErr, documentErr))
		}
	})
}

func TestBytesThatAreNotThereAreGone(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		job := f.accept(t, "x")
		f.lose(t)
		_, inputErr := f.Input(t.Context(), job)
		_, answerErr := f.Answer(t.Context(), job)
		_, artifactErr := f.Artifact(t.Context(), job)
		for what, err := range map[string]error{"input": inputErr, "answer": answerErr, "artifact": artifactErr} {
			if !errors.Is(err, ErrGone) {
				t.Errorf("%s: error %v, want ErrGone", what, err)
			}
		}
	})
}

// TestQueriesUseTheirIndexes ensures that what is asked again and again costs the same however many jobs there are.
func TestQueriesUseTheirIndexes(t *testing.T) {
	f := newFixture(t)
	for query, index := range map[string]string{
		selectDead: "jobs_by_beat", selectExpired: "jobs_by_expiry", selectSpent: "jobs_by_input", selectForgotten: "jobs_expired", selectPurges: "outbox_purges", nextJob: "jobs_by_turn",
		selectOwn: "jobs_by_turn_of_account", selectLowest: "jobs_by_turn",
		"SELECT * FROM jobs WHERE account_id = ? AND mode = ? ORDER BY id DESC LIMIT ?": "jobs_of_owner",
	} {
		dbtest.ReadsThrough(t, f.db, index, query, []any{"1", "1", "1", "1"}[:strings.Count(query, "?")]...)
	}
}
