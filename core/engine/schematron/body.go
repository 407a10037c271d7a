package schematron

import (
	"github.com/einvoiced/einvoiced/core/engine/xpath"
	"github.com/einvoiced/einvoiced/core/engine/xpath/syntax"
	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// function declares a function of the rule set, which sees all variables of the rule set (XSLT 2.0, 9.7): they are declared later, since their values may
// call functions. One whose body cannot be compiled fails where it is called.
func (c *compiler) function(f *Function) {
	body, err := c.body(f.Body)
	if err != nil {
		body = &syntax.Call{Name: syntax.Name{Prefix: "fn", Local: "error"}}
	}
	declared := &xpath.Function{Name: xdm.Name{Space: f.Name.Space, Local: f.Name.Local}, As: f.As, Body: body}
	declared.Static = &xpath.Static{Namespaces: f.Scope.Prefixes, DefaultElement: f.Scope.DefaultElement, BaseURI: baseURI + f.File,
		Variables: c.functionGlobals, XSLT: true}
	for _, p := range f.Params {
		declared.Params = append(declared.Params, xpath.Param{Name: variableName(p.Name, f.Scope), As: p.As})
	}
	// The only error is a function that is declared twice; the first one holds, as in the order of the source.
	_ = c.builder.Function(declared)
}

// body composes the instructions of a sequence constructor: a variable holds for what follows it, everything else is a part of
// the value.
func (c *compiler) body(instructions []Instruction) (syntax.Expr, error) {
	if len(instructions) == 0 {
		return &syntax.Sequence{}, nil
	}
	rest, err := c.body(instructions[1:])
	if err != nil {
		return nil, err
	}
	if v, ok := instructions[0].(*Variable); ok {
		return c.let(v, rest)
	}
	value, err := c.instruction(instructions[0])
	if err != nil || len(instructions) == 1 {
		return value, err
	}
	return &syntax.Sequence{Items: []syntax.Expr{value, rest}}, nil
}

// let binds a variable. One without select and type holds a document node, of which only the text counts here.
func (c *compiler) let(v *Variable, rest syntax.Expr) (syntax.Expr, error) {
	let := &xpath.Let{Var: variableRef(v.Name), In: rest}
	var err error
	switch {
	case v.Select != nil:
		let.Value, err = syntax.Parse(v.Select.Text)
	case v.As != "":
		let.Value, err = c.body(v.Body)
	default:
		var content syntax.Expr
		content, err = c.body(v.Body)
		let.Value = &xpath.TextNode{Select: content}
	}
	if err != nil {
		return nil, err
	}
	if v.As != "" {
		typ, err := syntax.ParseSequenceType(v.As)
		if err != nil {
			return nil, err
		}
		let.Type = &typ
	}
	return let, nil
}

func variableRef(name string) syntax.Name {
	prefix, local, qualified := cutName(name)
	if !qualified {
		return syntax.Name{Local: name}
	}
	return syntax.Name{Prefix: prefix, Local: local}
}

func (c *compiler) instruction(i Instruction) (syntax.Expr, error) {
	switch i := i.(type) {
	case *Sequence:
		return syntax.Parse(i.Select.Text)
	case *ValueOf:
		value, err := syntax.Parse(i.Select.Text)
		return &xpath.TextNode{Select: value, Separator: i.Separator}, err
	case *Text:
		return &xpath.TextNode{Select: &syntax.Literal{Kind: syntax.StringLiteral, Text: i.Value}}, nil
	case *Choose:
		return c.choose(i.When, i.Otherwise)
	}
	return &syntax.Sequence{}, nil
}

func (c *compiler) choose(when []When, otherwise []Instruction) (syntax.Expr, error) {
	if len(when) == 0 {
		return c.body(otherwise)
	}
	condition, err := syntax.Parse(when[0].Test.Text)
	if err != nil {
		return nil, err
	}
	then, err := c.body(when[0].Body)
	if err != nil {
		return nil, err
	}
	rest, err := c.choose(when[1:], otherwise)
	return &syntax.If{Cond: condition, Then: then, Else: rest}, err
}
