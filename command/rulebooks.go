package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/core/engine/xsd"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/validate"
)

// rulebooksCommand is einvoiced rulebooks.
type rulebooksCommand struct {
	List   rulebooksList   `cmd:"" help:"List the rulebooks."`
	Import rulebooksImport `cmd:"" help:"Make a rulebook of an official distribution as it was published."`
	Agree  rulebooksAgree  `cmd:"" help:"Compare the verdicts of the rulebooks with those of the official processors."`
	Run    rulebooksRun    `cmd:"" help:"Judge documents by the rule files that are named."`
	Reload rulebooksReload `cmd:"" help:"Have the running service load its folder of rulebooks anew."`
	Diff   rulebooksDiff   `cmd:"" help:"Tell which rules are new, gone or changed between two rulebooks, and which documents would fail."`
}

// clockFlag gives the time that rules see.
type clockFlag struct {
	Now instant `placeholder:"TIME" help:"Time that rules about the current date see, such as 2026-09-01 or 2026-09-01T00:00:00Z; by default the time of the start."`
}

// time gives the time that was named, or that of now.
func (f *clockFlag) time() time.Time {
	if t := time.Time(f.Now); !t.IsZero() {
		return t
	}
	return time.Now()
}

// instant is a time on the command line.
type instant time.Time

// UnmarshalText reads a date, which begins at midnight UTC, or a time with its offset (RFC 3339).
func (i *instant) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, string(text)); err == nil {
			*i = instant(t)
			return nil
		}
	}
	return errors.New("expected a date or a time such as 2026-09-01T00:00:00Z")
}

// ruleFiles are the rule files that a command line names. What they refer to is read when it is needed, so that the folders
// stay open until the work is done.
type ruleFiles struct {
	set     validate.Set
	folders []*os.Root
}

// close closes the folders.
func (r *ruleFiles) close() error {
	var err error
	for _, f := range r.folders {
		err = errors.Join(err, f.Close())
	}
	return err
}

// addRules reads and compiles a Schematron file, source or compiled.
func (r *ruleFiles) addRules(name string) error {
	return r.open(name, func(folder fs.FS, entry string) error {
		rules, err := schematron.Read(folder, entry, schematron.Options{})
		if err != nil {
			return err
		}
		program, err := schematron.Compile(rules, folder, schematron.CompileOptions{})
		if err != nil {
			return err
		}
		r.set.Rules = append(r.set.Rules, program)
		return nil
	})
}

// addSchema reads and compiles an XML Schema file.
func (r *ruleFiles) addSchema(name string) error {
	return r.open(name, func(folder fs.FS, entry string) error {
		schema, err := xsd.Compile(folder, xsd.Options{}, entry)
		if err != nil {
			return err
		}
		r.set.Schemas = append(r.set.Schemas, rulebook.Schema{Schema: schema})
		return nil
	})
}

// foldersAbove is how many folders above its own a rule file may refer to: publishers keep shared files beside the folders of
// the entry files.
const foldersAbove = 2

// open reads a rule file within its folder. Where that is not enough, a folder above may be what it needs; when that does
// not help either, the first fault is what is told.
func (r *ruleFiles) open(name string, read func(folder fs.FS, entry string) error) error {
	path, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	var first error
	dir, entry := filepath.Dir(path), filepath.Base(path)
	for range foldersAbove + 1 {
		err := r.openIn(dir, entry, read)
		if err == nil {
			return nil
		}
		if first == nil {
			first = err
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir, entry = filepath.Dir(dir), filepath.ToSlash(filepath.Join(filepath.Base(dir), entry))
	}
	return &failure{code: exitUsage, cause: fmt.Errorf("load rules of %s: %w", name, first),
		hint: "name the entry file of a rule set, with the files that it refers to beside it"}
}

func (r *ruleFiles) openIn(dir, entry string, read func(folder fs.FS, entry string) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	if err := read(root.FS(), entry); err != nil {
		return errors.Join(err, root.Close())
	}
	r.folders = append(r.folders, root)
	return nil
}
