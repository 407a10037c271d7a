// Package engine is a map: the packages below it judge documents by schemas and rules. They know XML and nothing of invoices.
//
//	decimal     exact numbers that keep their scale; the ground of all
//	xmlname     which characters make an XML name
//	regex       the regular expressions of XPath and XML Schema, in linear time
//	xmltree     XML read into one array of nodes, and written
//	xpath       XPath 2.0, compiled to closures; xpath/syntax reads expressions, xpath/xdm has the values of the data model
//	xsd         XML Schema 1.0, compiled to automata
//	schematron  ISO Schematron and the stylesheets made of it, run by xpath
//
// The way of a document: xmltree.Parse makes the tree, an xsd.Schema judges its shape in one pass, a schematron.Program its rules.
//
// # Where speed comes from
//
// The words that recur in the code of the engine:
//
//   - A node (xmltree) is an index into an array in document order, so that the subtree of a node is a range, and short texts lie in
//     the node itself.
//   - A trie (xpath, trie.go) is how the contexts of rules are found by element names: one look at a node and its parents gives the
//     rules that may be about it (dispatch.go, lineage.go).
//   - A cell holds a value that does not depend on the context node, or that several expressions share, once it was computed for a
//     document (remember.go).
//   - A column holds such a value for each line of a long document, in one array, when many rules ask for it (column.go).
//   - A key index answers predicates that compare for equality, instead of a walk over all nodes (index.go).
//   - A shape is the form of an expression for which there is a faster closure than the general one: a bare existence, a sum, a code
//     list (group.go, codelist.go, compile_*.go).
//
// None of these changes a verdict: each has a test that compares it with the plain way.
package engine
