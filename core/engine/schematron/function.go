package schematron

import "github.com/einvoiced/einvoiced/core/engine/xmltree"

// Function is a function that a rule set declares (XSLT 2.0, 10.3).
type Function struct {
	Name   xmltree.Name // always in a namespace
	Params []Param
	As     string // sequence type of the result; empty means item()*
	Body   []Instruction
	Scope  *Scope // for As and the types of Params
	Place
}

// Param is a parameter of a Function.
type Param struct {
	Name string
	As   string // sequence type; empty means item()*
}

// Instruction is a step in the body of a Function: *Variable, *Sequence, *ValueOf, *Choose or *Text. The value of a body is the
// sequence of the values of its instructions; a variable is seen by what follows it and has no value of its own.
type Instruction interface{ instruction() }

// Variable is xsl:variable (XSLT 2.0, 9.3). Its value is that of Select; without Select it is the value of Body where As is
// given, else a document node with what Body gives as content.
type Variable struct {
	Name   string
	As     string // sequence type; empty for none
	Select *Expression
	Body   []Instruction
	Scope  *Scope // for As
	Place
}

// Sequence is xsl:sequence (XSLT 2.0, 5.7.2): the value of Select.
type Sequence struct{ Select Expression }

// ValueOf is xsl:value-of (XSLT 2.0, 11.4.3): a text node with the string values of Select, Separator between them.
type ValueOf struct {
	Select    Expression
	Separator string
}

// Choose is xsl:choose, or xsl:if, which has one When and nothing otherwise (XSLT 2.0, 8.1 and 8.2).
type Choose struct {
	When      []When
	Otherwise []Instruction
}

// When is one branch of a Choose.
type When struct {
	Test Expression
	Body []Instruction
}

// Text is xsl:text or text between instructions (XSLT 2.0, 11.4): a text node.
type Text struct{ Value string }

func (*Variable) instruction() {}
func (*Sequence) instruction() {}
func (*ValueOf) instruction()  {}
func (*Choose) instruction()   {}
func (*Text) instruction()     {}
