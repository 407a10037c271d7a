package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xsd"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/validate"
)

// entries are the schema files by syntax, below the folder of the schemas.
var entries = map[string]string{ubl: "ubl/maindoc/UBL-Invoice-2.1.xsd", cii: "cii/CrossIndustryInvoice_100pD16B.xsd"}

// schemas measures parsing and schema validation against xmllint, from which the time it takes for an invoice of one line is taken
// off: it reads the schema anew for each document.
func (b *bench) schemas(ctx context.Context) error {
	if b.options.schemas == "" {
		return nil
	}
	fmt.Fprintf(b.out, "\n| schema | one line: parse and schema, µs | schema alone, µs | %d lines: ours, ms | xmllint, ms | ours in xmllint's |\n|---|---|---|---|---|---|\n", b.lines[len(b.lines)-1])
	for _, syntax := range []string{ubl, cii} {
		if err := b.schema(ctx, syntax); err != nil {
			return fmt.Errorf("schema of %s: %w", syntax, err)
		}
	}
	return nil
}

func (b *bench) schema(ctx context.Context, syntax string) error {
	folder, name := path.Split(entries[syntax])
	if syntax == ubl {
		folder, name = path.Dir(path.Clean(folder)), path.Join(path.Base(folder), name)
	}
	folder = filepath.Join(b.options.schemas, folder)
	copied, err := os.MkdirTemp("", "bench-schemas-")
	if err != nil {
		return fmt.Errorf("make a folder for schemas: %w", err)
	}
	defer os.RemoveAll(copied)
	if err := locate(folder+string(filepath.Separator), copied); err != nil {
		return err
	}
	schema, err := xsd.Compile(os.DirFS(folder), xsd.Options{}, name)
	if err != nil {
		return err
	}
	small, long := b.invoices[syntax][1], b.invoices[syntax][b.lines[len(b.lines)-1]]
	set := &validate.Set{Schemas: []rulebook.Schema{{Schema: schema}}}
	var ours [3]time.Duration
	for i, document := range []string{small, long} {
		if ours[i], err = timeOurs(ctx, set, document); err != nil {
			return err
		}
	}
	if ours[2], err = timeOurs(ctx, &validate.Set{}, small); err != nil {
		return err
	}
	theirs := [2]time.Duration{}
	for i, document := range []string{small, long} {
		if theirs[i], err = xmllint(ctx, filepath.Join(copied, filepath.FromSlash(name)), document); err != nil {
			return err
		}
	}
	fmt.Fprintf(b.out, "| %s | %s | %s | %s | %s | %s |\n", name, in(time.Microsecond, ours[0]), in(time.Microsecond, ours[0]-ours[2]),
		in(time.Millisecond, ours[1]), in(time.Millisecond, theirs[1]-theirs[0]), times(ratio(ours[1], theirs[1]-theirs[0])))
	return nil
}

// xmllint gives the median CPU time of three processes; one that finds the document invalid is a failure.
func xmllint(ctx context.Context, schema, document string) (time.Duration, error) {
	var all []time.Duration
	for range 3 {
		c := exec.CommandContext(ctx, "xmllint", "--huge", "--noout", "--schema", schema, document)
		if out, err := c.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("xmllint: %w: %s", err, out)
		}
		all = append(all, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
	}
	return median(all), nil
}
