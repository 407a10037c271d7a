package xpath

import (
	"fmt"
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// Builder collects the expressions, variables and functions that are evaluated together and makes a Program of them. It is not
// safe for concurrent use, and of no use after Build.
type Builder struct {
	names     map[xmltree.Name]int
	nameList  []xmltree.Name
	keys      map[string]int
	variables []*variable
	functions map[string]*userFunction
	exprs     []*Expr
	patterns  []*Pattern
	groups    []*Group
	tries     []*trie
	selectors []*Selector
	scratch   []byte
}

// NewBuilder gives an empty Builder.
func NewBuilder() *Builder {
	return &Builder{names: map[xmltree.Name]int{}, keys: map[string]int{}, functions: map[string]*userFunction{}}
}

// name gives an expanded name its number in the program.
func (b *Builder) name(n xmltree.Name) int {
	id, ok := b.names[n]
	if !ok {
		id = len(b.nameList)
		b.names[n] = id
		b.nameList = append(b.nameList, n)
	}
	return id
}

// key numbers expressions so that equal parts, in order, have equal numbers. All that is shared between expressions is found
// by it: cells, columns, indexes and code lists. It begins at 1, because 0 stands for an expression of which nobody can tell
// whether it equals another.
func (b *Builder) key(parts ...any) int {
	text := b.keyText(parts...)
	id, ok := b.keys[text]
	if !ok {
		id = len(b.keys) + 1
		b.keys[text] = id
	}
	return id
}

// keyText writes parts so that different ones have different texts. A zero byte ends each of them: no text of a rule set has
// one.
func (b *Builder) keyText(parts ...any) string {
	text := b.scratch[:0]
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			text = append(text, p...)
		case int:
			text = strconv.AppendInt(text, int64(p), 10)
		default:
			text = fmt.Append(text, p)
		}
		text = append(text, 0)
	}
	b.scratch = text
	return string(text)
}

func (b *Builder) resolver(static *Static) *resolver {
	r := &resolver{builder: b, static: static, focus: seqType{allKinds, oneItem}}
	if static.NodeContext {
		r.focus.kinds = nodeKind
	}
	return r
}

// Compile reads an expression and checks it. The error is an *xdm.Error with a static error of the language: XPST0003,
// XPST0008, XPST0017, XPST0051, XPST0080, XPST0081, XPTY0004 and others.
func (b *Builder) Compile(source string, static *Static) (*Expr, error) {
	tree, err := syntax.Parse(source)
	if err != nil {
		return nil, &xdm.Error{Code: "XPST0003", Reason: err.Error()}
	}
	return b.CompileTree(tree, static)
}

// CompileTree is Compile for an expression that was read or composed before.
func (b *Builder) CompileTree(tree syntax.Expr, static *Static) (e *Expr, err error) {
	defer catch(&err)
	e = &Expr{root: b.resolver(static).expr(tree), once: static.Once, forms: static.Forms}
	if e.forms == 0 {
		e.forms = allForms
	}
	b.exprs = append(b.exprs, e)
	return e, nil
}

// VariableOption says what kind of variable Variable declares.
type VariableOption uint8

// The kinds of variables that hosts declare.
const (
	// PerDocument is evaluated at the document node, once for each document, when first asked for; once at all if it does not
	// depend on the document.
	PerDocument VariableOption = iota
	// PerCurrent is evaluated at the current node, once for each, when first asked for (see Machine.SetCurrent).
	PerCurrent
)

// Variable declares a variable with the value of an expression, converted to the type as, if that is not empty, by the
// function conversion rules. The error is that of Compile.
func (b *Builder) Variable(name, source, as string, option VariableOption, static *Static) (*Variable, error) {
	tree, err := syntax.Parse(source)
	if err != nil {
		return nil, &xdm.Error{Code: "XPST0003", Reason: err.Error()}
	}
	return b.VariableTree(name, tree, as, option, static)
}

// VariableTree is Variable for an expression that was read or composed before.
func (b *Builder) VariableTree(name string, tree syntax.Expr, as string, option VariableOption, static *Static) (_ *Variable, err error) {
	defer catch(&err)
	r := b.resolver(static)
	value := r.expr(tree)
	if as != "" {
		value = r.convert(value, r.typeNamed(as), "the value of $"+name)
	}
	v := &variable{name: name, scope: scopeDocument, number: len(b.variables), value: value, needs: needsDocument}
	if value.info().needs == 0 {
		v.needs = 0
	}
	if option == PerCurrent && value.info().needs&^(needsRoot|needsDocument) != 0 {
		v.scope, v.needs = scopeCurrent, needsCurrent
	}
	// The nodes lie below the node that the value was computed at, not below the one where the variable is read.
	v.typ, v.order = value.info().typ, value.info().order&^below
	b.variables = append(b.variables, v)
	return &Variable{v}, nil
}

// External declares a variable whose value the host sets with Machine.Set before it is asked for.
func (b *Builder) External(name string) *Variable {
	v := &variable{name: name, scope: scopeExternal, number: len(b.variables), typ: anyItems, needs: needsDocument}
	b.variables = append(b.variables, v)
	return &Variable{v}
}

// typeNamed reads a sequence type.
func (r *resolver) typeNamed(text string) wanted {
	t, err := syntax.ParseSequenceType(text)
	if err != nil {
		r.fail("XPST0003", 0, "the type %q: %v", text, err)
	}
	return r.sequenceType(t, 0)
}

// Function declares a function that expressions may call. Body is resolved when the program is built, so that functions may
// call each other and themselves.
type Function struct {
	Name   xdm.Name
	Params []Param
	As     string // sequence type of the result. Default: item()*
	Body   syntax.Expr
	Static *Static
}

// Param is a parameter of a Function.
type Param struct {
	Name string // expanded, as in Static.Variables
	As   string // sequence type. Default: item()*
}

// userFunction is a declared function.
type userFunction struct {
	name   xdm.Name
	decl   *Function
	params []*variable
	wants  []wanted
	result wanted
	body   expr
	err    *xdm.Error // why there is no body
	code   functionCode
}

// Function declares a function. Errors: XPST0051 and others for its types, XQST0034 when there is one of that name and number
// of parameters. An error in its body comes when it is called.
func (b *Builder) Function(f *Function) (err error) {
	defer catch(&err)
	r := b.resolver(f.Static)
	u := &userFunction{name: f.Name, decl: f, result: r.typeOr(f.As)}
	for i, p := range f.Params {
		want := r.typeOr(p.As)
		u.wants = append(u.wants, want)
		u.params = append(u.params, &variable{name: p.Name, scope: scopeLocal, number: i, typ: want.seqType()})
	}
	key := functionKey(f.Name, len(f.Params))
	if _, exists := b.functions[key]; exists {
		return xdm.Errorf("XQST0034", "the function %v is declared twice", f.Name)
	}
	b.functions[key] = u
	return nil
}

func (r *resolver) typeOr(text string) wanted {
	if text == "" {
		text = "item()*"
	}
	return r.typeNamed(text)
}

// resolveBody resolves the body of a declared function. It has no context item (XSLT 2.0, 10.3), whatever the expressions
// around its calls have.
func (b *Builder) resolveBody(u *userFunction) {
	var err error
	func() {
		defer catch(&err)
		static := *u.decl.Static
		static.NodeContext = false
		r := b.resolver(&static)
		r.scope = append(r.scope, u.params...)
		u.body = r.convert(r.expr(u.decl.Body), u.result, "the result of "+u.name.Local+"()")
	}()
	if err != nil {
		u.err = err.(*xdm.Error)
	}
}
