package peppol

import (
	"errors"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Kind is what the network has to know of a document.
type Kind struct {
	DocumentType DocumentType
	Process      Process
	Country      string      // of who sends (corner 1), two letters; empty where the document does not tell
	Sender       Participant // the electronic address of who sends; zero where there is none in a Peppol scheme
	Receiver     Participant // the same of who receives
	Number       string      // of the invoice, as far as it is kept
}

// ErrKind says that a document is of no kind that the network carries.
var ErrKind = errors.New("the document is neither a UBL invoice or credit note nor a CII invoice with a specification identifier")

// billing is the process of documents that name none (Peppol BIS Billing 3.0, BT-23).
const billing = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"

const (
	ublInvoice    = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
	ublCreditNote = "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"
	cii           = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
)

// places are the paths of what Kind tells, by local names from the document element.
type places struct {
	version, customisation, process, number string
	seller, buyer                           string // to the parties
	address, scheme                         string // from a party: the electronic address; the attribute
	country                                 string // from a party
}

var syntaxes = map[string]places{
	ublInvoice:    ublPlaces,
	ublCreditNote: ublPlaces,
	cii: {"D16B", "ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID", "ExchangedDocumentContext/BusinessProcessSpecifiedDocumentContextParameter/ID",
		"ExchangedDocument/ID", "SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/SellerTradeParty", "SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/BuyerTradeParty",
		"URIUniversalCommunication/URIID", "schemeID", "PostalTradeAddress/CountryID"},
}

var ublPlaces = places{"2.1", "CustomizationID", "ProfileID", "ID", "AccountingSupplierParty/Party", "AccountingCustomerParty/Party", "EndpointID", "schemeID",
	"PostalAddress/Country/IdentificationCode"}

// KindOf tells the kind of a document. In self-billing the buyer sends. The error is ErrKind, or wraps ErrIdentifier.
func KindOf(doc *xmltree.Document) (Kind, error) {
	root := doc.Root()
	at, ok := syntaxes[doc.Namespace(root)]
	customisation := textAt(doc, root, at.customisation)
	if !ok || customisation == "" {
		return Kind{}, ErrKind
	}
	scheme := DocumentScheme
	if strings.HasPrefix(customisation, "urn:peppol:pint:") {
		scheme = WildcardScheme
	}
	document, err := ParseDocumentType(scheme + "::" + doc.Namespace(root) + "::" + doc.Local(root) + "##" + customisation + "::" + at.version)
	if err != nil {
		return Kind{}, err
	}
	named := textAt(doc, root, at.process)
	if named == "" {
		named = billing
	}
	process, err := ParseProcess(named)
	if err != nil {
		return Kind{}, err
	}
	from, to := at.seller, at.buyer
	if strings.Contains(customisation, ":selfbilling") {
		from, to = to, from
	}
	return Kind{DocumentType: document, Process: process, Country: countryAt(doc, root, from+"/"+at.country), Number: kept(textAt(doc, root, at.number)),
		Sender: addressAt(doc, root, from+"/"+at.address, at.scheme), Receiver: addressAt(doc, root, to+"/"+at.address, at.scheme)}, nil
}

// countryAt gives a country code; empty where there is none of two letters.
func countryAt(doc *xmltree.Document, root xmltree.Node, path string) string {
	code := textAt(doc, root, path)
	if len(code) != len("DE") {
		return ""
	}
	return strings.ToUpper(code)
}

// kept is the begin of a text that is kept with each message, for good and in every list.
func kept(text string) string {
	const most = 255 // bytes
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// addressAt gives the electronic address of a party; zero where its scheme is none of ISO 6523, such as EM.
func addressAt(doc *xmltree.Document, root xmltree.Node, path, attribute string) Participant {
	n := nodeAt(doc, root, path)
	if n == xmltree.None {
		return Participant{}
	}
	scheme, _ := doc.AttrValue(n, attribute)
	p, err := ParseParticipant(string(scheme) + ":" + strings.TrimSpace(doc.String(n)))
	if err != nil {
		return Participant{}
	}
	return p
}

// textAt is the trimmed text of the first element at a path of local names; empty where there is none.
func textAt(doc *xmltree.Document, n xmltree.Node, path string) string {
	found := nodeAt(doc, n, path)
	if found == xmltree.None {
		return ""
	}
	return strings.TrimSpace(doc.String(found))
}

// nodeAt is the first element at a path of local names, or None.
func nodeAt(doc *xmltree.Document, n xmltree.Node, path string) xmltree.Node {
	for local := range strings.SplitSeq(path, "/") {
		n = doc.ChildNamed(n, local)
	}
	return n
}
