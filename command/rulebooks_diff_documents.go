package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
)

// brokenDocuments are documents that pass by one rulebook and fail by another.
type brokenDocuments struct {
	Judged  int              `json:"judged"`  // documents that either rulebook judges
	Passing int              `json:"passing"` // of these, those that pass today
	Other   int              `json:"other"`   // documents that neither judges, or that are none
	Failing []failedDocument `json:"failing"` // documents that pass today and would fail then
}

// failedDocument is a document that would fail.
type failedDocument struct {
	File  string   `json:"file"`
	Rules []string `json:"rules"` // that speak against it
}

func (d *brokenDocuments) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "documents: %d judged, %d pass today, %d of these would fail; %d others\n", d.Judged, d.Passing, len(d.Failing), d.Other)
	for _, f := range d.Failing {
		fmt.Fprintf(&b, "  would fail: %s: %s\n", f.File, strings.Join(f.Rules, ", "))
	}
	return b.String()
}

// bothWays judges documents as the service does, with one and with the other rulebook.
type bothWays struct {
	now, then *operation.Service
	id        string // of the rulebook, under which the other one judges as well
}

// broken judges the documents of the folder, and of those in it, by both rulebooks.
func (c *rulebooksDiff) broken(ctx context.Context, m *Main, books *rulebook.Generation, from, to *rulebook.Book) (*brokenDocuments, error) {
	files, err := documentsIn(c.Documents)
	if err != nil {
		return nil, &failure{code: exitUsage, cause: fmt.Errorf("open documents: %w", err), hint: "--documents names a folder of invoices"}
	}
	both := &bothWays{id: from.Manifest.ID}
	if both.now, err = serviceWith(books, from, from); err != nil {
		return nil, err
	}
	if both.then, err = serviceWith(books, to, from); err != nil {
		return nil, err
	}
	found := &brokenDocuments{Failing: []failedDocument{}}
	for _, file := range files {
		document, err := m.read(ctx, file)
		if err != nil {
			return nil, err
		}
		if err := both.judge(ctx, found, file, document); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// documentsIn lists the files of a folder and of those in it, in their order.
func documentsIn(folder string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			files = append(files, name)
		}
		return err
	})
	slices.Sort(files)
	if err == nil && len(files) == 0 {
		err = &fs.PathError{Op: "list", Path: folder, Err: os.ErrNotExist}
	}
	return files, err
}

// serviceWith is a service that judges by a rulebook in the place of another.
func serviceWith(all *rulebook.Generation, book, insteadOf *rulebook.Book) (*operation.Service, error) {
	books, err := all.With(book, insteadOf)
	if err != nil {
		return nil, err
	}
	return operation.New(operation.Config{Now: time.Now, Rulebooks: func(context.Context) *rulebook.Generation { return books }})
}

// judge judges one document both ways.
func (b *bothWays) judge(ctx context.Context, found *brokenDocuments, file string, document []byte) error {
	request := operation.ValidateRequest{Country: anyCountry, Document: document}
	now, err := b.now.Validate(ctx, request)
	if err == nil {
		var then *operation.ValidateAnswer
		if then, err = b.then.Validate(ctx, request); err == nil {
			b.count(found, file, now, then)
			return nil
		}
	}
	if refusal := (*finding.Refusal)(nil); errors.As(err, &refusal) {
		found.Other++
		return nil
	}
	return err
}

// count takes up what came of one document.
func (b *bothWays) count(found *brokenDocuments, file string, now, then *operation.ValidateAnswer) {
	if !b.asked(now) && !b.asked(then) {
		found.Other++
		return
	}
	found.Judged++
	if !now.Valid {
		return
	}
	found.Passing++
	if then.Valid {
		return
	}
	failed := failedDocument{File: file, Rules: []string{}}
	for _, e := range then.Errors {
		if !slices.Contains(failed.Rules, e.Code) {
			failed.Rules = append(failed.Rules, e.Code)
		}
	}
	found.Failing = append(found.Failing, failed)
}

// asked tells whether the rulebook judged.
func (b *bothWays) asked(a *operation.ValidateAnswer) bool {
	return slices.ContainsFunc(a.Rulebooks, func(r operation.Rulebook) bool { return r.ID == b.id })
}
