package mapping

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// syntax is a table without the type of its invoices, so that plans, readings and locators need not have it either: functions of
// the table take pointers to an invoice as any.
type syntax struct {
	invoice    reflect.Type
	elements   []Element
	editions   []Edition
	namespaces map[string]string
	variables  []string // names; that of the specification first
	members    []string // that the variables stand for
	order      map[string]string
	rows       []row
	lines      string
	silent     map[string]string
	leaves     map[leafName]*field // of all plans
}

// row is a Row of a syntax.
type row struct {
	term, field, path string
	typ               Type
	card              Cardinality
	attrs             []Attr
	on, in            string
	when              condition
	constant          string
	total             func(inv any) decimal.Decimal
	from              string
	keep              func(inv any, stated decimal.Decimal)
	computed          *computation
	fill              string
	required          bool
	lines, separate   bool
	last, single      bool
	first             bool
	convert           *Converter
	codec             *Codec
	split             *Split
	rows              []row
	again             bool
	held              bool // some plan has it
}

// condition tells whether a row is for what is written.
type condition func(w *writing, group any, index int) bool

// spot is a Scope without the type of its invoice.
type spot struct {
	inv, group       any
	index            int
	element, edition string
	once             func(name string, find func() int) int
}

// computation is a Computed of a syntax.
type computation struct {
	of   []string
	text func(at spot) string
	take func(stated string, at spot) bool // nil without
}

// fault says which row an error is about.
func (r *row) fault(err error) error { return fmt.Errorf("row %s %s: %w", r.term, r.path, err) }

// newSyntax takes the type out of a table.
func newSyntax[T any](t *Table[T]) *syntax {
	s := &syntax{invoice: reflect.TypeFor[T](), elements: t.Elements, editions: t.Editions, namespaces: t.Namespaces,
		variables: []string{Specification}, members: []string{""}, order: t.Order, rows: newRows(t.Rows), lines: t.Lines, silent: t.Silent,
		leaves: map[leafName]*field{}}
	for _, name := range slices.Sorted(maps.Keys(t.Variables)) {
		s.variables, s.members = append(s.variables, name), append(s.members, t.Variables[name])
	}
	if len(s.editions) == 0 {
		s.editions = []Edition{{}}
	}
	return s
}

// newRows gives rows that do not know the type of the invoice: all behind it goes by reflection, and there is one code for
// all tables.
func newRows[T any](rows []Row[T]) []row {
	list := make([]row, len(rows))
	for i := range rows {
		r := &rows[i]
		list[i] = row{term: r.Term, field: r.Field, path: r.Path, typ: r.Type, card: r.Card, attrs: r.Attrs, on: r.On, in: r.In,
			constant: r.Const, from: r.From, fill: r.Fill, required: r.Required, lines: r.Lines, separate: r.Separate, last: r.Last, single: r.Single, first: r.First, convert: r.Convert, codec: r.Codec, split: r.Split,
			rows: newRows(r.Rows), again: r.Again}
		if f := r.When; f != nil || r.First {
			list[i].when = func(w *writing, group any, index int) bool {
				return !(r.First && index > 0) && (f == nil || f(Scope[T]{Invoice: w.inv.(*T), Group: group, Index: index, Element: w.plan.element.Name, Edition: w.plan.edition.Name, once: w.ask}))
			}
		}
		if c := r.Computed; c != nil {
			list[i].computed = newComputation(c)
		}
		if f := r.Total; f != nil {
			list[i].total = func(inv any) decimal.Decimal { return f(inv.(*T)) }
		}
		if f := r.Keep; f != nil {
			list[i].keep = func(inv any, stated decimal.Decimal) { f(inv.(*T), stated) }
		}
	}
	return list
}

func newComputation[T any](c *Computed[T]) *computation {
	of := &computation{of: c.Of, text: func(at spot) string { return c.Text(scopeAt[T](at)) }}
	if c.Take != nil {
		of.take = func(stated string, at spot) bool { return c.Take(stated, scopeAt[T](at)) }
	}
	return of
}

func scopeAt[T any](at spot) Scope[T] {
	return Scope[T]{Invoice: at.inv.(*T), Group: at.group, Index: at.index, Element: at.element, Edition: at.edition, once: at.once}
}

// constant is a text, or one of the variables.
type constant struct {
	text     string
	variable int // 1 + index of the variable; 0 for a text
}

// specified is the constant of the specification identifier.
var specified = constant{variable: 1}

func (c constant) isSet() bool { return c != constant{} }

// in gives the text with the values of the variables.
func (c constant) in(values []string) string {
	if c.variable > 0 {
		return values[c.variable-1]
	}
	return c.text
}

// newConstant resolves what a table writes for a constant.
func (s *syntax) newConstant(text string) (constant, error) {
	if text == "" || text[0] != '$' {
		return constant{text: text}, nil
	}
	i := slices.Index(s.variables, text)
	if i < 0 {
		return constant{}, fmt.Errorf("%q is no variable of the table", text)
	}
	return constant{variable: 1 + i}, nil
}
