package xpath

import (
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// Namespaces that the language itself names.
const (
	schemaSpace    = "http://www.w3.org/2001/XMLSchema"
	functionSpace  = "http://www.w3.org/2005/xpath-functions"
	errorSpace     = "http://www.w3.org/2005/xqt-errors"
	xmlSpace       = "http://www.w3.org/XML/1998/namespace"
	codepointOrder = "http://www.w3.org/2005/xpath-functions/collation/codepoint"
)

// Static is what an expression may refer to (XPath 2.0, 2.1.1). It is only read; that of a Function is
// read until Build.
type Static struct {
	// Namespaces maps prefixes to namespace names. xml, xs, fn and err need not be declared. Default: none
	Namespaces map[string]string
	// DefaultElement is the namespace of names of elements and types without prefix. Default: none
	DefaultElement string
	// BaseURI resolves relative URIs, for fn:static-base-uri, fn:resolve-uri, fn:doc and document(). Default: none
	BaseURI string
	// Variables maps expanded names, {namespace}local or just local, to what Builder's methods gave. Default: none
	Variables map[string]*Variable
	// XSLT adds the functions of XSLT 2.0 that rule sets use: current() and document(). Default: false
	XSLT bool
	// NodeContext says that the context item is always a node, which makes many expressions cheaper. Default: false
	NodeContext bool
	// Forms says which values will be asked for; not compiling the others saves time. Default: all
	Forms Forms
	// Once says that the expression is evaluated at most once for each document, so that nothing is remembered for a second
	// evaluation. Default: false
	Once bool
}

// Forms are the forms of the value of an expression that hosts ask for.
type Forms uint8

// The forms, by the methods of Expr that need them. Tests of a Group need TruthForm.
const (
	TruthForm Forms = 1 << iota // Bool
	TextForm                    // Text
	ItemsForm                   // Items
	allForms  = TruthForm | TextForm | ItemsForm
)

// predeclared are the prefixes that need no declaration (XPath 2.0 with the usual bindings of F&O 1.4).
var predeclared = map[string]string{"xml": xmlSpace, "xs": schemaSpace, "fn": functionSpace, "err": errorSpace}

// Code gives the code of an error of the language, such as XPTY0004; empty for other errors.
func Code(err error) string {
	var e *xdm.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// resolver turns syntax trees into expressions. Its methods panic with *xdm.Error, which catch turns into an error.
type resolver struct {
	builder *Builder
	static  *Static
	scope   []*variable // local variables, innermost last
	focus   seqType     // of the context item
}

// fail ends the resolution with a static error.
func (r *resolver) fail(code string, at int, format string, args ...any) {
	panic(&xdm.Error{Code: code, Reason: fmt.Sprintf("offset %d: ", at) + fmt.Sprintf(format, args...)})
}

// catch turns a panic with *xdm.Error into err.
func catch(err *error) {
	if p := recover(); p != nil {
		failure, ok := p.(*xdm.Error)
		if !ok {
			panic(p)
		}
		*err = failure
	}
}

// prefix gives the namespace of a prefix; none is the namespace for no prefix. Error XPST0081.
func (r *resolver) prefix(prefix, none string, at int) string {
	if prefix == "" {
		return none
	}
	if space, ok := r.static.Namespaces[prefix]; ok {
		return space
	}
	space, ok := predeclared[prefix]
	if !ok {
		r.fail("XPST0081", at, "the prefix %q is not declared", prefix)
	}
	return space
}

// expanded gives a name with its namespace; no prefix means no namespace.
func (r *resolver) expanded(n syntax.Name, at int) xdm.Name {
	return xdm.Name{Space: r.prefix(n.Prefix, "", at), Local: n.Local, Prefix: n.Prefix}
}

// clark writes an expanded name as {namespace}local, or as the local part alone.
func clark(n xdm.Name) string {
	if n.Space == "" {
		return n.Local
	}
	return "{" + n.Space + "}" + n.Local
}
