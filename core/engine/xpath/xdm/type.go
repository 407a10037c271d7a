// Package xdm holds the atomic values of the XQuery 1.0 and XPath 2.0 data model: their types, lexical forms, casts,
// comparison and arithmetic (XML Schema 1.0 part 2; XQuery 1.0 and XPath 2.0 Functions and Operators, second edition).
//
// An Item is a value with its Type. Parse reads one, Cast makes another type of it, Compare and GeneralCompare are the two families of
// comparisons, Arithmetic the operators. What fails gives an *Error with the code of the standards. Nodes are items, too, but what is
// in them only package xpath knows, which has their typed values compared here.
package xdm

import "strings"

// Type is a built-in type, concrete or abstract. The zero value stands for no item at all.
type Type uint8

// The types of items. Node is any node; AnyAtomic and Numeric are abstract: no item has them.
const (
	None Type = iota
	Node
	AnyAtomic
	Numeric
	UntypedAtomic
	String
	NormalizedString
	Token
	Language
	NMTOKEN
	XMLName
	NCName
	ID
	IDREF
	ENTITY
	Boolean
	Decimal
	Integer
	NonPositiveInteger
	NegativeInteger
	Long
	Int
	Short
	Byte
	NonNegativeInteger
	UnsignedLong
	UnsignedInt
	UnsignedShort
	UnsignedByte
	PositiveInteger
	Double
	Float
	Duration
	DayTimeDuration
	YearMonthDuration
	DateTime
	Date
	Time
	GYearMonth
	GYear
	GMonthDay
	GDay
	GMonth
	HexBinary
	Base64Binary
	AnyURI
	QName
	NOTATION
	typeCount
)

// typeFacts are the name of a type and the types it comes from.
type typeFacts struct {
	name      string
	base      Type
	primitive Type // as values are represented; for derived integers Integer
}

// types describes every Type (XML Schema part 2, section 3; XQuery 1.0 and XPath 2.0 Data Model, 2.7).
var types = [typeCount]typeFacts{
	None:               {"empty-sequence()", None, None},
	Node:               {"node()", None, Node},
	AnyAtomic:          {"xs:anyAtomicType", None, None},
	Numeric:            {"numeric", AnyAtomic, None},
	UntypedAtomic:      {"xs:untypedAtomic", AnyAtomic, UntypedAtomic},
	String:             {"xs:string", AnyAtomic, String},
	NormalizedString:   {"xs:normalizedString", String, String},
	Token:              {"xs:token", NormalizedString, String},
	Language:           {"xs:language", Token, String},
	NMTOKEN:            {"xs:NMTOKEN", Token, String},
	XMLName:            {"xs:Name", Token, String},
	NCName:             {"xs:NCName", XMLName, String},
	ID:                 {"xs:ID", NCName, String},
	IDREF:              {"xs:IDREF", NCName, String},
	ENTITY:             {"xs:ENTITY", NCName, String},
	Boolean:            {"xs:boolean", AnyAtomic, Boolean},
	Decimal:            {"xs:decimal", AnyAtomic, Decimal},
	Integer:            {"xs:integer", Decimal, Integer},
	NonPositiveInteger: {"xs:nonPositiveInteger", Integer, Integer},
	NegativeInteger:    {"xs:negativeInteger", NonPositiveInteger, Integer},
	Long:               {"xs:long", Integer, Integer},
	Int:                {"xs:int", Long, Integer},
	Short:              {"xs:short", Int, Integer},
	Byte:               {"xs:byte", Short, Integer},
	NonNegativeInteger: {"xs:nonNegativeInteger", Integer, Integer},
	UnsignedLong:       {"xs:unsignedLong", NonNegativeInteger, Integer},
	UnsignedInt:        {"xs:unsignedInt", UnsignedLong, Integer},
	UnsignedShort:      {"xs:unsignedShort", UnsignedInt, Integer},
	UnsignedByte:       {"xs:unsignedByte", UnsignedShort, Integer},
	PositiveInteger:    {"xs:positiveInteger", NonNegativeInteger, Integer},
	Double:             {"xs:double", AnyAtomic, Double},
	Float:              {"xs:float", AnyAtomic, Float},
	Duration:           {"xs:duration", AnyAtomic, Duration},
	DayTimeDuration:    {"xs:dayTimeDuration", Duration, DayTimeDuration},
	YearMonthDuration:  {"xs:yearMonthDuration", Duration, YearMonthDuration},
	DateTime:           {"xs:dateTime", AnyAtomic, DateTime},
	Date:               {"xs:date", AnyAtomic, Date},
	Time:               {"xs:time", AnyAtomic, Time},
	GYearMonth:         {"xs:gYearMonth", AnyAtomic, GYearMonth},
	GYear:              {"xs:gYear", AnyAtomic, GYear},
	GMonthDay:          {"xs:gMonthDay", AnyAtomic, GMonthDay},
	GDay:               {"xs:gDay", AnyAtomic, GDay},
	GMonth:             {"xs:gMonth", AnyAtomic, GMonth},
	HexBinary:          {"xs:hexBinary", AnyAtomic, HexBinary},
	Base64Binary:       {"xs:base64Binary", AnyAtomic, Base64Binary},
	AnyURI:             {"xs:anyURI", AnyAtomic, AnyURI},
	QName:              {"xs:QName", AnyAtomic, QName},
	NOTATION:           {"xs:NOTATION", AnyAtomic, NOTATION},
}

// TypeNamed gives the type with that local name in the namespace of XML Schema; false where there is none or it is not atomic.
// xs:anyAtomicType is among them.
func TypeNamed(local string) (Type, bool) {
	for t := AnyAtomic; t < typeCount; t++ {
		if name, ok := strings.CutPrefix(types[t].name, "xs:"); ok && name == local {
			return t, true
		}
	}
	return None, false
}

// String is the name with the prefix xs.
func (t Type) String() string { return types[t].name }

// Primitive is the type that says how values are represented: the primitive type, but xs:integer for the integer types and
// xs:dayTimeDuration and xs:yearMonthDuration for themselves.
func (t Type) Primitive() Type { return types[t].primitive }

// Is tells whether a value of type t is also one of type base.
func (t Type) Is(base Type) bool {
	for ; t != None; t = types[t].base {
		if t == base {
			return true
		}
		if base == Numeric && t >= Decimal && t <= Float {
			return true
		}
	}
	return false
}

// IsNumeric tells whether t is xs:decimal, xs:double, xs:float or derived from one of them.
func (t Type) IsNumeric() bool { return t >= Decimal && t <= Float }

// IsDecimal tells whether t is xs:decimal or derived from it.
func (t Type) IsDecimal() bool { return t >= Decimal && t < Double }

// IsInteger tells whether t is xs:integer or derived from it.
func (t Type) IsInteger() bool { return t >= Integer && t < Double }

// IsText tells whether values of t are compared as strings in general comparisons: xs:string, xs:untypedAtomic, xs:anyURI and
// what is derived from them.
func (t Type) IsText() bool { return t >= UntypedAtomic && t <= ENTITY || t == AnyURI }
