package sbdh

import (
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/peppol"
)

// Read gives the header of an envelope that breaks no rule. The error says what cannot be read of one that does.
func Read(doc *xmltree.Document) (h Header, err error) {
	c := &check{doc: doc, paths: xmltree.NewLocator(doc)}
	root := c.child(doc.Root(), headerName)
	if root == xmltree.None {
		return h, fmt.Errorf("read an envelope: there is no %s", headerName)
	}
	for name, into := range map[string]*peppol.Participant{"Sender": &h.Sender, "Receiver": &h.Receiver} {
		if *into, err = peppol.ParseParticipant(c.text(cmpNode(c.child(root, name), root), "Identifier")); err != nil {
			return h, err
		}
	}
	identification := cmpNode(c.child(root, "DocumentIdentification"), root)
	h.Instance = c.text(identification, "InstanceIdentifier")
	if h.Created, err = time.Parse(time.RFC3339, c.text(identification, "CreationDateAndTime")); err != nil {
		h.Created = time.Time{} // it may have no zone
	}
	for _, s := range c.all(cmpNode(c.child(root, "BusinessScope"), root), "Scope") {
		value := c.text(s, "InstanceIdentifier")
		switch c.text(s, "Type") {
		case "DOCUMENTID":
			scheme := c.text(s, "Identifier")
			if scheme == peppol.WildcardScheme {
				value = scheme + "::" + value
			}
			h.DocumentType, err = peppol.ParseDocumentType(value)
		case "PROCESSID":
			h.Process, err = peppol.ParseProcess(value)
		case "COUNTRY_C1":
			h.Country = value
		}
		if err != nil {
			return h, err
		}
	}
	return h, nil
}
