package facturx

import (
	"fmt"
	"strings"
)

// ids are the ids of a rule in the sets that have it.
type ids struct {
	in       limit
	flag     string
	own      cell            // where the publisher has none
	official map[string]cell // by version
}

// cell is an id, or one for each of some profiles: "FX-1" or "be:FX-1,x:FX-2".
type cell string

// of gives the id in a profile; empty for none.
func (c cell) of(p profile) string {
	for part := range strings.SplitSeq(string(c), ",") {
		letters, id, several := strings.Cut(part, ":")
		switch {
		case !several && part != "-":
			return part
		case several && strings.IndexByte(letters, p.letter) >= 0:
			return id
		}
	}
	return ""
}

// anonymous begins the ids of what the publisher has no id for, which verdicts name by a hash.
const anonymous = "~"

// resolve gives our id and the publisher's in a set: the same where the publisher has one, else the table's own, else that of the
// newest version.
func (i ids) resolve(s set) (ours, official string, err error) {
	official = i.official[s.version.name].of(s.profile)
	if official == "" {
		return "", "", fmt.Errorf("no id in %s", s.key())
	}
	if !strings.HasPrefix(official, anonymous) {
		return official, official, nil
	}
	if ours = i.own.of(s.profile); ours != "" {
		return ours, official, nil
	}
	newest := i.official["1.09"]
	if ours = newest.of(s.profile); ours == "" || strings.HasPrefix(ours, anonymous) {
		ours = ""
		for _, p := range profiles() {
			if id := newest.of(p); ours == "" && !strings.HasPrefix(id, anonymous) {
				ours = id
			}
		}
	}
	return ours, official, nil
}

// readIDColumns reads the ids of the versions, or one for all of them.
func readIDColumns(columns []string) (map[string]cell, error) {
	official := map[string]cell{}
	for i, v := range versions() {
		switch len(columns) {
		case 1:
			official[v.name] = cell(columns[0])
		case len(versions()):
			official[v.name] = cell(columns[i])
		default:
			return nil, fmt.Errorf("%d columns of ids: expected one, or one for each version", len(columns))
		}
	}
	return official, nil
}

// readIDs reads the ids of business rules by the name that rules.txt has for them.
func readIDs() (map[string]ids, error) {
	all := map[string]ids{}
	return all, eachRow("ids.txt", func(columns []string) error {
		if len(columns) < 4 {
			return fmt.Errorf("%d columns", len(columns))
		}
		in, err := readColumns(columns[1])
		if err != nil {
			return err
		}
		official, err := readIDColumns(columns[3:])
		if err != nil {
			return err
		}
		all[columns[0]] = ids{in: in, flag: strings.TrimPrefix(columns[2], "-"), own: cell(columns[0]), official: official}
		return nil
	})
}

// eachRow calls do with the columns of each row of a table, which are separated by tabs. Lines that begin with # are none.
func eachRow(table string, do func(columns []string) error) error {
	text, err := tables.ReadFile(table)
	if err != nil {
		return fmt.Errorf("read table: %w", err)
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := do(strings.Split(line, "\t")); err != nil {
			return fmt.Errorf("read %s, line %d: %w", table, number, err)
		}
	}
	return nil
}
