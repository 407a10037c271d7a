//go:build corpus && oracles

package operation

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/corpus"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// converter is an independent program that converts the document of a file into the other syntax, into a file.
type converter struct {
	name    string
	from    string // CII or UBL
	least   int    // documents that it converts
	convert func(from, to string) error
}

// difference is a kind of difference between two conversions, as testdata/converters.txt lists it.
type difference struct {
	converter, from, side, member string // side is whose result has the value: ours or theirs
	both                          bool   // the standard leaves the choice
	found                         int
}

// TestConverters_AgreeWithConvert converts every document of the corpus that keeps EN 16931 into the other syntax, by us and by others,
// and compares the results member by member. Each kind of difference is listed with what decides it; the standard leaves the choice for at
// most 5 % of the values.
func TestConverters_AgreeWithConvert(t *testing.T) {
	known := knownDifferences(t)
	s := plainService(t)
	for _, c := range converters(t) {
		documents, refused, values := 0, 0, 0
		for _, d := range slices.Concat(corpus.UBL(t), corpus.CII(t)) {
			if d.Syntax != c.from || !d.Valid || !keepsEN16931(&d) {
				continue
			}
			ours, theirs := convertedTwice(t, s, c, &d)
			if ours == nil {
				continue
			}
			if theirs == nil {
				refused++
				continue
			}
			documents++
			values += len(maps.Collect(invoice.Leaves(ours)))
			note(t, known, c, &d, "ours", missing(ours, theirs))
			note(t, known, c, &d, "theirs", missing(theirs, ours))
		}
		t.Logf("%s from %s: %d documents with %d values, %d that it refuses, %d values where both are right", c.name, c.from, documents, values, refused, undecided(known, c))
		if documents < c.least || undecided(known, c)*20 > values {
			t.Errorf("%s from %s: %d documents, and both are right for %d of %d values", c.name, c.from, documents, undecided(known, c), values)
		}
	}
	for _, k := range known {
		if k.found == 0 {
			t.Errorf("no difference is found any more: %s from %s, %s, %s", k.converter, k.from, k.side, k.member)
		}
	}
}

// convertedTwice gives what is read from a document that we and another have converted. It is nil for what we refuse, or turn the signs of,
// and for what the other refuses or nobody reads.
func convertedTwice(t *testing.T, s *Service, c converter, d *corpus.Document) (ours, theirs *invoice.Invoice) {
	t.Helper()
	converted, err := s.Convert(t.Context(), ConvertRequest{Document: must(os.ReadFile(d.Path))(t), Options: unchecked(other[d.Syntax])})
	if err != nil || slices.ContainsFunc(converted.Warnings, turnsSigns) {
		return nil, nil
	}
	read := func(document []byte) (*ParseAnswer, error) {
		return s.Parse(t.Context(), ParseRequest{Country: "de", Format: other[d.Syntax], Document: document})
	}
	ours = must(read(converted.Data))(t).Invoice
	result := filepath.Join(t.TempDir(), "result.xml")
	if err := c.convert(d.Path, result); err != nil {
		return ours, nil
	}
	answer, err := read(must(os.ReadFile(result))(t))
	if err != nil {
		return ours, nil
	}
	return ours, answer.Invoice
}

// note counts values that one result has and the other lacks among the known differences.
func note(t *testing.T, known []*difference, c converter, d *corpus.Document, side string, lost []string) {
	t.Helper()
	for _, value := range lost {
		member, _, _ := strings.Cut(value, " ")
		i := slices.IndexFunc(known, func(k *difference) bool {
			return k.converter == c.name && k.from == c.from && (k.side == "*" || k.side == side) && fits(k.member, member)
		})
		if i < 0 {
			t.Errorf("%s from %s: %s/%s: only %s has %s", c.name, c.from, d.Set, d.Name, side, value)
			continue
		}
		known[i].found++
	}
}

func fits(pattern, member string) bool {
	beginning, any := strings.CutSuffix(pattern, "*")
	return any && strings.HasPrefix(member, beginning) || member == pattern
}

// undecided counts the differences with a converter where both are right: a value that both have, but not the same, counts for each.
func undecided(known []*difference, c converter) (n int) {
	for _, k := range known {
		if k.both && k.converter == c.name && k.from == c.from {
			n += k.found
		}
	}
	return n
}

func knownDifferences(t *testing.T) (known []*difference) {
	t.Helper()
	for line := range strings.Lines(string(must(os.ReadFile("testdata/converters.txt"))(t))) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " | ")
		words := strings.Fields(parts[0])
		if len(parts) != 3 || len(words) != 4 || parts[1] != "ours" && parts[1] != "both" || parts[2] == "" {
			t.Fatalf("converters.txt: %q", line)
		}
		known = append(known, &difference{converter: words[0], from: words[1], side: words[2], member: words[3], both: parts[1] == "both"})
	}
	return known
}

func converters(t *testing.T) []converter {
	t.Helper()
	java := must(oracles.StartConverters(context.WithoutCancel(t.Context())))(t)
	t.Cleanup(func() {
		if err := java.Close(); err != nil {
			t.Error(err)
		}
	})
	python := startPython(t)
	return []converter{
		{"cii2ubl", "CII", 560, java.UBL},
		{"eu-einvoice", "CII", 580, func(from, to string) error { return python("en16931-ubl", from, to) }},
		{"eu-einvoice", "UBL", 450, func(from, to string) error { return python("en16931-cii", from, to) }},
	}
}

// startPython starts eu-einvoice and gives what asks it to convert a file into a target.
func startPython(t *testing.T) func(target, from, to string) error {
	t.Helper()
	c := exec.CommandContext(context.WithoutCancel(t.Context()), "python3", filepath.Join(readersFolder, "convert.py"))
	c.Env = append(os.Environ(), "PYTHONPATH="+must(oracles.PythonPackages(t.Context(), readersFolder))(t))
	in, out := must(c.StdinPipe())(t), bufio.NewReader(must(c.StdoutPipe())(t))
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), c.Wait()); err != nil {
			t.Error(err)
		}
	})
	return func(target, from, to string) error {
		if _, err := fmt.Fprintf(in, "%s\t%s\t%s\n", target, from, to); err != nil {
			return err
		}
		answer, err := out.ReadString('\n')
		if errors.Is(err, io.EOF) {
			t.Fatal("eu-einvoice has ended")
		}
		if answer = strings.TrimSpace(answer); answer != "ok" {
			return errors.Join(err, errors.New(answer))
		}
		return err
	}
}
