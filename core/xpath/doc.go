// Package xpath is XPath 2.0 (W3C Recommendation, second edition) over the trees of package xmltree, compiled to closures.
//
// A Builder collects expressions, patterns, variables and functions and makes an immutable Program of them, which any number of
// Machines evaluate, one for each goroutine. Documents are untyped: their atomised values are xs:untypedAtomic. Sequences are
// not built where existence, a count or a sum is all that is asked for.
package xpath
