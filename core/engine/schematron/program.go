package schematron

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
	"sync"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/engine/xpath"
)

// Program is a compiled rule set: immutable and safe for concurrent use.
//
// Working memory is taken from idle and given back by each evaluation, so that as many documents are judged at a time as
// callers ask for.
type Program struct {
	ruleset  *Ruleset
	xpath    *xpath.Program
	patterns []*patternProgram
	count    int // of assertions
	broken   []NotRun
	selector *xpath.Selector // of the rules' contexts, a group for each pattern
	files    *documents
	idle     sync.Pool // of *run
}

// patternProgram is a compiled pattern.
type patternProgram struct {
	rules        []*ruleProgram
	elementsOnly bool // is Pattern.ElementsOnly
}

// ruleProgram is a compiled rule.
type ruleProgram struct {
	rule    *Rule
	context *xpath.Pattern
	group   *xpath.Group
	tests   []*assertionProgram // those of the group, in its order
	first   int                 // number of the rule's first assertion in the program
}

// assertionProgram is a compiled assertion.
type assertionProgram struct {
	assertion *Assertion
	number    int
	message   []*xpath.Expr // for each part of the message that is no text
	text      string        // the texts of the message
}

// CompileOptions of Compile. The zero value is the default.
type CompileOptions struct {
	Phase string // phase to compile. Default: the rule set's own, else all patterns
}

// Compile makes a Program of a rule set. Files is what document() may read, relative to the file that the expression stands
// in; nil for none. An expression that cannot be compiled breaks the assertions that need it, which are then not run, and no
// others; the error is for a phase that the rule set does not have.
//
// The variables of all patterns are declared before the first rule is compiled, because the skeleton makes global
// variables of them: see Pattern.Lets.
func Compile(rs *Ruleset, files fs.FS, opt CompileOptions) (*Program, error) {
	active, lets, err := rs.Active(opt.Phase)
	if err != nil {
		return nil, err
	}
	c := &compiler{builder: xpath.NewBuilder(), program: &Program{ruleset: rs, files: &documents{files: files}}, globals: map[string]*xpath.Variable{}, functionGlobals: map[string]*xpath.Variable{}, shared: map[expressionKey]*xpath.Expr{}}
	for _, f := range rs.Functions {
		c.function(f)
	}
	c.declare(c.globals, append(append([]Let(nil), rs.Lets...), lets...), xpath.PerDocument)
	maps.Copy(c.functionGlobals, c.globals)
	for _, p := range active {
		c.declare(c.globals, p.Lets, xpath.PerDocument)
	}
	for _, p := range active {
		c.pattern(p)
	}
	p := c.program
	p.selector = c.builder.Select(p.contexts())
	p.xpath = c.builder.Build()
	return p, nil
}

// contexts gives the contexts of the rules by pattern.
func (p *Program) contexts() [][]*xpath.Pattern {
	groups := make([][]*xpath.Pattern, len(p.patterns))
	for i, pattern := range p.patterns {
		for _, r := range pattern.rules {
			groups[i] = append(groups[i], r.context)
		}
	}
	return groups
}

// compiler is one run of Compile.
type compiler struct {
	builder *xpath.Builder
	program *Program
	globals map[string]*xpath.Variable // as far as they are declared, with those of the patterns

	functionGlobals map[string]*xpath.Variable // those of the rule set, for the bodies of functions, which are resolved at the end
	shared          map[expressionKey]*xpath.Expr
}

// static is what an expression may refer to.
func (c *compiler) static(e Expression, variables map[string]*xpath.Variable) *xpath.Static {
	return &xpath.Static{Namespaces: e.Scope.Prefixes, DefaultElement: e.Scope.DefaultElement, BaseURI: baseURI + e.File,
		Variables: variables, XSLT: true, NodeContext: true}
}

// declare adds variables, each of which sees those before it. One that cannot be compiled stays undeclared, which breaks the
// expressions that use it.
func (c *compiler) declare(variables map[string]*xpath.Variable, lets []Let, option xpath.VariableOption) {
	for _, let := range lets {
		name := variableName(let.Name, let.Value.Scope)
		v, err := c.builder.Variable(name, let.Value.Text, let.As, option, c.static(let.Value, maps.Clone(variables)))
		if err != nil {
			delete(variables, name)
			continue
		}
		variables[name] = v
	}
}

// variableName is the expanded name that package xpath knows a variable by.
func variableName(name string, scope *Scope) string {
	if expanded, ok := scope.expand(name); ok && expanded.Space != "" {
		return "{" + expanded.Space + "}" + expanded.Local
	}
	return name
}

func (c *compiler) pattern(p *Pattern) {
	compiled := &patternProgram{elementsOnly: p.ElementsOnly}
	variables := maps.Clone(c.globals)
	for _, r := range p.Rules {
		// Assertions of rules that cannot be compiled have numbers, too, so that these are in the order of the rule set.
		first := c.program.count
		c.program.count += len(r.Assertions)
		context, err := c.builder.CompilePattern(r.Context.Text, c.static(r.Context, variables))
		if err != nil {
			for _, a := range r.Assertions {
				c.breaks(a, fmt.Errorf("context %s: %w", r.Context.Place, err))
			}
			continue
		}
		compiled.rules = append(compiled.rules, c.rule(r, context, first, variables))
	}
	c.program.patterns = append(c.program.patterns, compiled)
}

func (c *compiler) rule(r *Rule, context *xpath.Pattern, first int, globals map[string]*xpath.Variable) *ruleProgram {
	compiled := &ruleProgram{rule: r, context: context, first: first}
	scopes := []map[string]*xpath.Variable{globals}
	for i := range r.Lets {
		inner := maps.Clone(scopes[i])
		c.declare(inner, r.Lets[i:i+1], xpath.PerCurrent)
		scopes = append(scopes, inner)
	}
	var tests []xpath.Test
	for i, a := range r.Assertions {
		test, err := c.expression(a.Test, a.Scope, scopes[a.Scope])
		if err != nil {
			c.breaks(a, err)
			continue
		}
		tests = append(tests, xpath.Test{Expr: test, Want: !a.Report})
		compiled.tests = append(compiled.tests, &assertionProgram{a, first + i, c.message(a, scopes[a.Scope]), texts(a.Message)})
	}
	compiled.group = c.builder.Group(tests)
	return compiled
}

// expressionKey tells expressions of which no variable of a rule is seen.
type expressionKey struct {
	text, file string
	scope      *Scope
}

// expression compiles an expression that sees the first lets of its rule; with none, once for all rules that have it, which is most
// of a rule set that a table made.
func (c *compiler) expression(e Expression, lets int, variables map[string]*xpath.Variable) (*xpath.Expr, error) {
	if lets > 0 {
		return c.builder.Compile(e.Text, c.static(e, variables))
	}
	key := expressionKey{e.Text, e.File, e.Scope}
	if compiled := c.shared[key]; compiled != nil {
		return compiled, nil
	}
	compiled, err := c.builder.Compile(e.Text, c.static(e, variables))
	if err == nil {
		c.shared[key] = compiled
	}
	return compiled, err
}

// message compiles the values in a message; one that cannot be compiled is left out of it.
func (c *compiler) message(a *Assertion, variables map[string]*xpath.Variable) []*xpath.Expr {
	var values []*xpath.Expr
	for _, part := range a.Message {
		if part.IsText() {
			continue
		}
		value, err := c.expression(part.Select, a.Scope, variables)
		if err != nil {
			value = nil
		}
		values = append(values, value)
	}
	return values
}

// texts joins the texts of a message.
func texts(message []Part) string {
	var all strings.Builder
	for _, part := range message {
		all.WriteString(part.Text)
	}
	return all.String()
}

func (c *compiler) breaks(a *Assertion, err error) {
	c.program.broken = append(c.program.broken, NotRun{Assertion: a, Code: xpath.Code(err), Reason: err.Error(), Node: xmltree.None})
}

// baseURI makes URIs of the paths of rule files, so that relative references stay among them.
const baseURI = "rules:/"

// documents are the files that rules look things up in; each is read once.
type documents struct {
	files  fs.FS
	mu     sync.Mutex
	loaded map[string]*xmltree.Document
}

// load gives the document at a URI below baseURI. The lock is held while a file is read: evaluations that need the same
// one wait for it instead of reading it again.
func (d *documents) load(uri string) (*xmltree.Document, error) {
	name, ok := strings.CutPrefix(uri, baseURI)
	if name = strings.TrimLeft(path.Clean(name), "/"); !ok || d.files == nil || !fs.ValidPath(name) {
		return nil, fmt.Errorf("read %s: %w", uri, fs.ErrNotExist)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if doc := d.loaded[name]; doc != nil {
		return doc, nil
	}
	data, err := fs.ReadFile(d.files, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	doc, err := xmltree.Parse(data, xmltree.Options{})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if d.loaded == nil {
		d.loaded = map[string]*xmltree.Document{}
	}
	d.loaded[name] = doc
	return doc, nil
}
