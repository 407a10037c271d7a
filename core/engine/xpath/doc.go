// Package xpath evaluates XPath 2.0 over the documents of xmltree: the whole language without schema awareness and namespace
// axis, and the functions of F&O 1.0 (second edition), with the errors of the standards as *xdm.Error.
//
// Expressions are compiled together, once:
//
//	b := xpath.NewBuilder()
//	total, err := b.Compile("sum(//n:line/xs:decimal(n:amount))", &xpath.Static{Namespaces: …})
//	program := b.Build()
//
// A Program never changes and serves any number of goroutines. Each of them has a Machine, which keeps its memory:
//
//	m, err := program.NewMachine(xpath.Config{})
//	m.Start(ctx, doc)
//	value, err := total.Text(m, 0)
//	m.Finish()
//
// The way of an expression: package syntax reads it into a tree; resolve*.go gives names their meaning and finds types, needs
// and order (expr.go); compile*.go makes closures, in the form that the consumer wants: a truth value, a text, one item, or a
// walk that hands items to a sink fixed at compile time. What closures keep while they run lies in a frame (frame.go), so that
// evaluation allocates next to nothing.
//
// Rule sets get their speed from what the builder sees of all expressions together: values that do not depend on the context
// node are computed once for each document and equal ones shared (remember.go), equality predicates are answered by indexes
// (index.go), code lists are sets (codelist.go), groups of existence tests take one walk (group.go), the chains of names that
// the tests of a group follow another (ends.go), and the patterns a node matches are found by its name and those above it
// (dispatch.go, lineage.go).
//
// Hosts add variables that are evaluated when first asked for (Builder.Variable), functions (Builder.Function, with Let and
// TextNode for what XSLT bodies need beyond XPath), documents (Config.Load) and the time (Config.Now). An evaluation ends when
// its context does or when it takes too many steps, calls or items (Config).
package xpath
