package command

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"text/tabwriter"
)

// columns is how things are listed for people.
type columns[T any] struct {
	head  []string // of the columns; may be missing
	cells func(T) []string
}

// print lists things: in columns for people, or each as a line of JSON as soon as it is there.
func (c columns[T]) print(w io.Writer, asJSON bool, things iter.Seq[T]) error {
	if asJSON {
		for thing := range things {
			if err := printJSON(w, thing); err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(c.head) > 0 {
		fmt.Fprintln(table, strings.Join(c.head, "\t"))
	}
	for thing := range things {
		fmt.Fprintln(table, strings.Join(c.cells(thing), "\t"))
	}
	return table.Flush()
}

// mapped gives things as they are listed.
func mapped[T, L any](things []T, listed func(T) L) iter.Seq[L] {
	return func(yield func(L) bool) {
		for _, thing := range things {
			if !yield(listed(thing)) {
				return
			}
		}
	}
}
