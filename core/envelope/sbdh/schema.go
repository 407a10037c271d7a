package sbdh

import (
	"math/big"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// element is an element of the header as its schema has it (UN/CEFACT Standard Business Document Header, technical specification 1.3).
type element struct {
	name        string
	least, most int // most 0: any number
	children    []element
	attributes  []string
	foreign     bool                   // any element of another namespace
	valid       func(text string) bool // of a value; nil: any text
	told        bool                   // that it is missing is told by a rule with a name of its own
}

// is tells whether a node is this element.
func (e *element) is(doc *xmltree.Document, n xmltree.Node) bool {
	if e.foreign {
		return doc.Namespace(n) != Namespace
	}
	return doc.Namespace(n) == Namespace && doc.Local(n) == e.name
}

func leaf(name string, least int) element { return element{name: name, least: least, most: 1} }

func partner(name string) element {
	return element{name: name, least: 1, told: true, children: []element{
		{name: "Identifier", least: 1, most: 1, attributes: []string{"Authority"}, told: true},
		{name: "ContactInformation", children: []element{
			leaf("Contact", 1), leaf("EmailAddress", 0), leaf("FaxNumber", 0), leaf("TelephoneNumber", 0), leaf("ContactTypeIdentifier", 0),
		}},
	}}
}

// envelope is the schema from the document element down.
var envelope = element{children: []element{
	{name: headerName, least: 1, most: 1, children: []element{
		{name: "HeaderVersion", least: 1, most: 1, told: true},
		partner("Sender"), partner("Receiver"),
		{name: "DocumentIdentification", least: 1, most: 1, told: true, children: []element{
			leaf("Standard", 1), leaf("TypeVersion", 1), leaf("InstanceIdentifier", 1), leaf("Type", 1),
			{name: "MultipleType", most: 1, valid: isBoolean}, {name: "CreationDateAndTime", least: 1, most: 1, told: true},
		}},
		{name: "Manifest", most: 1, children: []element{
			{name: "NumberOfItems", least: 1, most: 1, valid: isInteger},
			{name: "ManifestItem", least: 1, children: []element{
				leaf("MimeTypeQualifierCode", 1), leaf("UniformResourceIdentifier", 1), leaf("Description", 0), leaf("LanguageCode", 0),
			}},
		}},
		{name: "BusinessScope", most: 1, children: []element{
			{name: "Scope", children: []element{
				leaf("Type", 1), {name: "InstanceIdentifier", least: 1, most: 1}, leaf("Identifier", 0),
				{name: "CorrelationInformation", children: []element{
					{name: "RequestingDocumentCreationDateTime", most: 1, valid: isDateTime}, leaf("RequestingDocumentInstanceIdentifier", 0),
					{name: "ExpectedResponseDateTime", most: 1, valid: isDateTime},
				}},
				{name: "BusinessService", children: []element{
					leaf("BusinessServiceName", 0), {name: "ServiceTransaction", most: 1, attributes: serviceAttributes},
				}},
			}},
		}},
	}},
	{foreign: true, least: 1, most: 1, told: true},
}}

var serviceAttributes = []string{"TypeOfServiceTransaction", "IsNonRepudiationRequired", "IsAuthenticationRequired", "IsNonRepudiationOfReceiptRequired",
	"IsIntelligibleCheckRequired", "IsApplicationErrorResponseRequested", "TimeToAcknowledgeReceipt", "TimeToAcknowledgeAcceptance", "TimeToPerform", "Recurrence"}

func isBoolean(s string) bool { return slices.Contains([]string{"true", "false", "1", "0"}, s) }

func isInteger(s string) bool {
	_, ok := new(big.Int).SetString(s, 10)
	return ok
}
