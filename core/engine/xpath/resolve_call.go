package xpath

import (
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// call resolves a function call: a constructor, a function of the library or a declared one.
func (r *resolver) call(e *syntax.Call) expr {
	name := xdm.Name{Space: r.prefix(e.Name.Prefix, functionSpace, e.Pos()), Local: e.Name.Local}
	args := r.exprs(e.Args)
	if u, ok := r.builder.functions[functionKey(name, len(args))]; ok {
		return r.userCall(u, args, e.Pos())
	}
	switch name.Space {
	case schemaSpace:
		if c := r.constructor(name, args, e.Pos()); c != nil {
			return c
		}
	case functionSpace:
		if c := r.libraryCall(name.Local, args, e.Pos()); c != nil {
			return c
		}
	}
	r.fail("XPST0017", e.Pos(), "there is no function %v with %d arguments", e.Name, len(args))
	return nil
}

// functionKey tells functions apart: by name and number of arguments.
func functionKey(name xdm.Name, arity int) string { return clark(name) + "/" + strconv.Itoa(arity) }

// constructor resolves xs:type(value), which is a cast that an empty value passes.
func (r *resolver) constructor(name xdm.Name, args []expr, at int) expr {
	t, ok := xdm.TypeNamed(name.Local)
	if !ok || len(args) != 1 || t == xdm.AnyAtomic || t == xdm.NOTATION {
		return nil
	}
	return r.castTo(args[0], t, true, false, at)
}

// contextual are the functions that take the context item when an argument is missing, by name and number of arguments. True
// stands for the string value of the context item (F&O 2, 7 and 14).
var contextual = map[string]bool{
	"name/0": false, "local-name/0": false, "namespace-uri/0": false, "string/0": false, "number/0": false, "root/0": false,
	"base-uri/0": false, "lang/1": false, "id/1": false, "idref/1": false, "element-with-id/1": false,
	"normalize-space/0": true, "string-length/0": true,
}

// located are the functions that resolve a URI against the base URI of the static context: they get it as last argument.
var located = map[string]bool{"resolve-uri/1": true, "doc/1": true, "doc-available/1": true, "document/1": true,
	"collection/1": true, "static-base-uri/0": true}

// collated are the functions whose last argument is a collation.
var collated = map[string]bool{"compare/3": true, "contains/3": true, "starts-with/3": true, "ends-with/3": true,
	"substring-before/3": true, "substring-after/3": true, "index-of/3": true, "distinct-values/2": true, "deep-equal/3": true,
	"max/2": true, "min/2": true}

// collation resolves the URI of a collation, if it is a literal, against the base URI.
func (r *resolver) collation(e expr) expr {
	l, ok := e.(*literal)
	if !ok || l.item.Type() != xdm.String {
		return e
	}
	uri, err := resolveReference(l.item.Text(), r.static.BaseURI)
	if err != nil {
		return e
	}
	return r.constant(xdm.Text(uri), l.at)
}

// libraryCall resolves a call of a function of F&O or XSLT; nil when there is none.
func (r *resolver) libraryCall(name string, args []expr, at int) expr {
	key := name + "/" + strconv.Itoa(len(args))
	if asString, ok := contextual[key]; ok {
		context := r.context(at)
		if asString {
			context = r.libraryCall("string", []expr{context}, at)
		}
		args = append(args, context)
	}
	if located[key] {
		args = append(args, r.constant(xdm.Text(r.static.BaseURI), at))
	}
	fn := findFunction(name, len(args))
	if fn == nil || fn.xslt && !r.static.XSLT || fn.hidden && !located[key] {
		return nil
	}
	if key == "true/0" || key == "false/0" {
		return r.constant(xdm.Bool(name == "true"), at)
	}
	if collated[key] {
		args[len(args)-1] = r.collation(args[len(args)-1])
	}
	for i := range args {
		args[i] = r.convert(args[i], fn.param(i), "argument "+strconv.Itoa(i+1)+" of "+name+"()")
	}
	c := &call{fn: fn, args: args}
	c.facts = r.combine("fn:"+name, at, args...)
	c.needs |= fn.needs
	c.typ = fn.resultType(args)
	c.order = resultOrder(fn, args)
	c.cost += 4
	return c
}

// resultOrder is what is known about nodes that a function gives.
func resultOrder(fn *function, args []expr) order {
	switch {
	case fn.keepsOrder:
		return args[0].info().order
	case fn.result.single():
		return wellOrdered | peers
	}
	return 0
}

func (r *resolver) userCall(u *userFunction, args []expr, at int) expr {
	for i := range args {
		args[i] = r.convert(args[i], u.wants[i], "argument "+strconv.Itoa(i+1)+" of "+u.name.Local+"()")
	}
	c := &userCall{fn: u, args: args}
	c.facts = r.combine("function "+functionKey(u.name, len(args)), at, args...)
	// The body may read variables of the program; it is resolved later, so that nobody knows yet.
	c.needs |= needsDocument
	c.typ = u.result.seqType()
	c.cost += 50
	return c
}
