package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// table aligns columns for people.
type table struct{ w *tabwriter.Writer }

func newTable(w io.Writer) table { return table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

// row adds a line.
func (t table) row(cells ...string) { fmt.Fprintln(t.w, strings.Join(cells, "\t")) }

// flush prints the lines.
func (t table) flush() error { return t.w.Flush() }
