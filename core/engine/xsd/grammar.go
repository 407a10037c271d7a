package xsd

// grammarRow is one form that an element of the schema language may take (the schema for schemas, part 1 appendix A).
// Attributes are name:type, with ! after the name where required. Content is a model over names, name=row where the row is
// not called like the element; , and | join, ? * + repeat.
type grammarRow struct {
	name       string
	attributes string
	content    string
}

// Parts of content models that occur more than once.
const (
	contentAttributes = "(attribute=localAttribute|attributeGroup=attributeGroupRef)*, anyAttribute?"
	contentParticle   = "(group=groupRef|all|choice|sequence)?"
	contentFacets     = "(minExclusive=limit|minInclusive=limit|maxExclusive=limit|maxInclusive=limit|totalDigits=positive|" +
		"fractionDigits=count|length=count|minLength=count|maxLength=count|enumeration=value|whiteSpace|pattern=value)*"
	contentElement  = "annotation?, (simpleType=localSimpleType|complexType=localComplexType)?, (unique|key=unique|keyref)*"
	contentParts    = "(element=localElement|group=groupRef|choice|sequence|any)*"
	occurs          = "minOccurs:nonNegativeInteger maxOccurs:allNNI"
	valueAttributes = "default:string fixed:string"
)

// grammar describes schema documents. Rows whose element does not say otherwise also allow attributes of other namespaces.
var grammar = []grammarRow{
	{"schema", "targetNamespace:anyURI version:token finalDefault:typeSet blockDefault:blockSet attributeFormDefault:form elementFormDefault:form id:ID",
		"(include|import|redefine|annotation)*, ((simpleType|complexType|group|attributeGroup|element|attribute|notation), annotation*)*"},
	{"include", "schemaLocation!:anyURI id:ID", "annotation?"},
	{"import", "namespace:anyURI schemaLocation:anyURI id:ID", "annotation?"},
	{"redefine", "schemaLocation!:anyURI id:ID", "(annotation|simpleType|complexType|group|attributeGroup)*"},
	{"annotation", "id:ID", "(appinfo|documentation)*"},
	{"appinfo", "source:anyURI", "ANY"},
	{"documentation", "source:anyURI", "ANY"},
	{"notation", "name!:NCName public:token system:anyURI id:ID", "annotation?"},

	{"element", "name!:NCName type:QName substitutionGroup:QName " + valueAttributes + " nillable:boolean abstract:boolean final:derivationSet block:blockSet id:ID",
		contentElement},
	{"localElement", "name:NCName ref:QName type:QName " + occurs + " " + valueAttributes + " nillable:boolean block:blockSet form:form id:ID",
		contentElement},
	{"unique", "name!:NCName id:ID", "annotation?, selector, field+"},
	{"keyref", "name!:NCName refer!:QName id:ID", "annotation?, selector, field+"},
	{"selector", "xpath!:string id:ID", "annotation?"},
	{"field", "xpath!:string id:ID", "annotation?"},

	{"attribute", "name!:NCName type:QName " + valueAttributes + " id:ID", "annotation?, simpleType=localSimpleType?"},
	{"localAttribute", "name:NCName ref:QName type:QName use:use form:form " + valueAttributes + " id:ID", "annotation?, simpleType=localSimpleType?"},
	{"attributeGroup", "name!:NCName id:ID", "annotation?, " + contentAttributes},
	{"attributeGroupRef", "ref!:QName id:ID", "annotation?"},
	{"anyAttribute", "namespace:spaces processContents:process id:ID", "annotation?"},

	{"complexType", "name!:NCName mixed:boolean abstract:boolean final:derivationSet block:derivationSet id:ID",
		"annotation?, (simpleContent | complexContent | (" + contentParticle + ", " + contentAttributes + "))"},
	{"localComplexType", "mixed:boolean id:ID",
		"annotation?, (simpleContent | complexContent | (" + contentParticle + ", " + contentAttributes + "))"},
	{"simpleContent", "id:ID", "annotation?, (restriction=simpleRestriction|extension=simpleExtension)"},
	{"simpleRestriction", "base!:QName id:ID", "annotation?, simpleType=localSimpleType?, " + contentFacets + ", " + contentAttributes},
	{"simpleExtension", "base!:QName id:ID", "annotation?, " + contentAttributes},
	{"complexContent", "mixed:boolean id:ID", "annotation?, (restriction=complexRestriction|extension=complexExtension)"},
	{"complexRestriction", "base!:QName id:ID", "annotation?, " + contentParticle + ", " + contentAttributes},
	{"complexExtension", "base!:QName id:ID", "annotation?, " + contentParticle + ", " + contentAttributes},

	{"group", "name!:NCName id:ID", "annotation?, (all=namedAll|choice=namedParts|sequence=namedParts)"},
	{"groupRef", "ref!:QName " + occurs + " id:ID", "annotation?"},
	{"namedAll", "id:ID", "annotation?, element=allElement*"},
	{"namedParts", "id:ID", "annotation?, " + contentParts},
	{"all", "minOccurs:atMostOne maxOccurs:one id:ID", "annotation?, element=allElement*"},
	{"allElement", "name:NCName ref:QName type:QName minOccurs:atMostOne maxOccurs:atMostOne " + valueAttributes + " nillable:boolean block:blockSet form:form id:ID",
		contentElement},
	{"choice", occurs + " id:ID", "annotation?, " + contentParts},
	{"sequence", occurs + " id:ID", "annotation?, " + contentParts},
	{"any", "namespace:spaces processContents:process " + occurs + " id:ID", "annotation?"},

	{"simpleType", "name!:NCName final:simpleSet id:ID", "annotation?, (restriction|list|union)"},
	{"localSimpleType", "id:ID", "annotation?, (restriction|list|union)"},
	{"restriction", "base:QName id:ID", "annotation?, simpleType=localSimpleType?, " + contentFacets},
	{"list", "itemType:QName id:ID", "annotation?, simpleType=localSimpleType?"},
	{"union", "memberTypes:QNames id:ID", "annotation?, simpleType=localSimpleType*"},
	{"limit", "value!:anySimpleType fixed:boolean id:ID", "annotation?"},
	{"value", "value!:anySimpleType id:ID", "annotation?"},
	{"count", "value!:nonNegativeInteger fixed:boolean id:ID", "annotation?"},
	{"positive", "value!:positiveInteger fixed:boolean id:ID", "annotation?"},
	{"whiteSpace", "value!:white fixed:boolean id:ID", "annotation?"},
}

// grammarWords are the attribute types of the grammar that are lists of words. A + after the type's name makes any number of
// the words a value, and #all another.
var grammarWords = map[string]string{
	"form":           "qualified unqualified",
	"use":            "optional prohibited required",
	"process":        "strict lax skip",
	"white":          "preserve replace collapse",
	"atMostOne":      "0 1",
	"one":            "1",
	"blockSet+":      "extension restriction substitution",
	"derivationSet+": "extension restriction",
	"typeSet+":       "extension restriction list union",
	"simpleSet+":     "restriction list union",
}
