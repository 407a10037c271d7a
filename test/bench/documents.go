package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The two syntaxes.
const (
	ubl = "ubl"
	cii = "cii"
)

// syntaxOf is the syntax of the documents that a rule set is for.
func syntaxOf(set string) string {
	if strings.HasPrefix(set, "fx-") || slices.Contains(strings.Split(set, "-"), cii) {
		return cii
	}
	return ubl
}

// longInvoices writes the synthetic invoices and gives their paths by syntax and number of lines.
func longInvoices(ctx context.Context, o options, folder string) (map[string]map[int]string, error) {
	all := map[string]map[int]string{}
	for _, syntax := range []string{ubl, cii} {
		all[syntax] = map[int]string{}
		for _, n := range append([]int{1}, o.lines...) {
			name := filepath.Join(folder, fmt.Sprintf("%s-%d.xml", syntax, n))
			generator := exec.CommandContext(ctx, "python3", filepath.Join(o.shared, "tools", "gen_lines.py"), "--syntax", syntax, "--flavour", "en", "--lines", strconv.Itoa(n))
			document, err := generator.Output()
			if err != nil {
				return nil, fmt.Errorf("make an invoice of %d lines: %w", n, err)
			}
			if err := os.WriteFile(name, document, 0o600); err != nil {
				return nil, fmt.Errorf("keep an invoice of %d lines: %w", n, err)
			}
			all[syntax][n] = name
		}
	}
	return all, nil
}

// ordinary lists, by rule set, the publishers' documents of the corpus on which the official stylesheet comes to its end, at
// most limit of each, evenly spread.
func ordinary(shared string, limit int) (map[string][]string, error) {
	verdicts, err := filepath.Glob(filepath.Join(shared, "corpus", "verdicts", "*.json"))
	if err != nil || len(verdicts) == 0 {
		return nil, fmt.Errorf("there is no corpus in %s", shared)
	}
	all := map[string][]string{}
	for _, name := range verdicts {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read verdicts: %w", err)
		}
		if err := addSources(all, filepath.Join(shared, "corpus"), data); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
	}
	for set, paths := range all {
		slices.Sort(paths)
		all[set] = spread(paths, limit)
	}
	return all, nil
}

// addSources adds the documents of one file of verdicts; files of another form have none.
func addSources(all map[string][]string, corpus string, data []byte) error {
	var head struct {
		Set      string
		RuleSets map[string]json.RawMessage
	}
	if json.Unmarshal(data, &head) != nil || len(head.RuleSets) == 0 {
		return nil
	}
	var verdicts struct {
		Files map[string]struct {
			Kind  string
			Rules map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &verdicts); err != nil {
		return err
	}
	for file, verdict := range verdicts.Files {
		for set, said := range verdict.Rules {
			if verdict.Kind == "source" && said[0] == '[' {
				all[set] = append(all[set], filepath.Join(corpus, head.Set, file))
			}
		}
	}
	return nil
}

// spread picks at most limit elements at equal distances, the first one included.
func spread[T any](list []T, limit int) []T {
	if len(list) <= limit {
		return list
	}
	picked := make([]T, limit)
	for i := range picked {
		picked[i] = list[i*len(list)/limit]
	}
	return picked
}
