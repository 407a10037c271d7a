package sbdh

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/peppol"
)

// Fault is a rule that an envelope breaks.
type Fault struct {
	Rule    string // stable name, e.g. no-country-c1
	Message string // what is wrong and what would be right
	Path    string // XPath of the place
	Line    int    // from 1
}

// Check gives the rules that an envelope breaks, causes before consequences; none where it is right.
func Check(doc *xmltree.Document) []Fault {
	c := &check{doc: doc, paths: xmltree.NewLocator(doc)}
	root := doc.Root()
	if doc.Namespace(root) != Namespace || doc.Local(root) != envelopeName {
		c.fault(root, "no-sbd", "the document element must be %s of %s", envelopeName, Namespace)
		return c.faults
	}
	header := c.child(root, headerName)
	if header == xmltree.None {
		c.fault(root, "no-sbdh", "there is no %s", headerName)
		return c.faults
	}
	c.header(header)
	c.payload()
	c.structure(root, envelope)
	return c.faults
}

type check struct {
	doc    *xmltree.Document
	paths  *xmltree.Locator
	faults []Fault

	document peppol.DocumentType // of DOCUMENTID; zero where that is none
	standard string
	kind     string // Type of DocumentIdentification
}

func (c *check) fault(n xmltree.Node, rule, format string, args ...any) {
	c.faults = append(c.faults, Fault{rule, fmt.Sprintf(format, args...), c.paths.Path(n), c.doc.Line(n)})
}

func (c *check) child(n xmltree.Node, local string) xmltree.Node {
	for _, found := range c.all(n, local) {
		return found
	}
	return xmltree.None
}

// all are the children of a name of the envelope's namespace.
func (c *check) all(n xmltree.Node, local string) (list []xmltree.Node) {
	for m, end := c.doc.Children(n); m < end; m = c.doc.End(m) {
		if c.doc.Kind(m) == xmltree.KindElement && c.doc.Local(m) == local && c.doc.Namespace(m) == Namespace {
			list = append(list, m)
		}
	}
	return list
}

// text is the trimmed text of a child; empty where there is none.
func (c *check) text(n xmltree.Node, local string) string {
	if n = c.child(n, local); n == xmltree.None {
		return ""
	}
	return strings.TrimSpace(c.doc.String(n))
}

func (c *check) header(n xmltree.Node) {
	if v := c.text(n, "HeaderVersion"); v != "1.0" {
		c.fault(cmpNode(c.child(n, "HeaderVersion"), n), "invalid-header-version", "HeaderVersion must be 1.0, it is %q", shown(v))
	}
	c.partner(n, "Sender")
	c.partner(n, "Receiver")
	c.scopes(n)
	c.identification(n)
}

// cmpNode gives the first node that is one.
func cmpNode(a, b xmltree.Node) xmltree.Node {
	if a == xmltree.None {
		return b
	}
	return a
}

// shown is a text of the envelope, shortened for messages.
func shown(s string) string { return fmt.Sprintf("%.60s", s) }

// partner checks Sender or Receiver.
func (c *check) partner(header xmltree.Node, name string) {
	list, plural := c.all(header, name), strings.ToLower(name)
	switch {
	case len(list) == 0:
		c.fault(header, "too-few-"+plural+"s", "there is no %s; exactly one is needed", name)
		return
	case len(list) > 1:
		c.fault(list[1], "too-many-"+plural+"s", "there are %d of %s; exactly one is allowed", len(list), name)
	}
	id := c.child(list[0], "Identifier")
	if id == xmltree.None {
		c.fault(list[0], "invalid-"+plural, "%s has no Identifier", name)
		return
	}
	if authority, _ := c.doc.AttrValue(id, "Authority"); string(authority) != peppol.ParticipantScheme {
		c.fault(id, "invalid-"+plural+"-authority", "the Authority of %s must be %s, it is %q", name, peppol.ParticipantScheme, shown(string(authority)))
	}
	if _, err := peppol.ParseParticipant(strings.TrimSpace(c.doc.String(id))); err != nil {
		c.fault(id, "invalid-"+plural, "%s: %v", name, err)
	}
}

// The most and the least scopes: DOCUMENTID, PROCESSID and COUNTRY_C1 are needed.
const fewestScopes = 3

func (c *check) scopes(header xmltree.Node) {
	scope := c.child(header, "BusinessScope")
	if scope == xmltree.None {
		c.fault(header, "too-few-scopes", "there is no BusinessScope; it needs DOCUMENTID, PROCESSID and COUNTRY_C1")
		return
	}
	list := c.all(scope, "Scope")
	if len(list) < fewestScopes {
		c.fault(scope, "too-few-scopes", "there are %d scopes; at least DOCUMENTID, PROCESSID and COUNTRY_C1 are needed", len(list))
	}
	seen := map[string]bool{}
	for _, s := range list {
		kind := c.text(s, "Type")
		judge := scopeRules[kind]
		if judge == nil {
			continue
		}
		if seen[kind] {
			c.fault(s, "duplicate-scope", "%s stands there twice", kind)
		}
		seen[kind] = true
		judge(c, s, c.text(s, "InstanceIdentifier"), c.text(s, "Identifier"))
	}
	for _, needed := range [][2]string{{"DOCUMENTID", "no-document-type-identifier"}, {"PROCESSID", "no-process-identifier"}, {"COUNTRY_C1", "no-country-c1"}} {
		if !seen[needed[0]] {
			c.fault(scope, needed[1], "there is no scope %s", needed[0])
		}
	}
}

// scopeRules judge the scopes that the network knows, by their Type.
var scopeRules = map[string]func(c *check, n xmltree.Node, value, identifier string){
	"DOCUMENTID": func(c *check, n xmltree.Node, value, _ string) {
		d, err := peppol.ParseDocumentType(value)
		if err != nil {
			c.fault(n, "invalid-document-type-identifier", "DOCUMENTID: %v", err)
			return
		}
		c.document = d
	},
	"PROCESSID": func(c *check, n xmltree.Node, value, _ string) {
		if _, err := peppol.ParseProcess(value); err != nil {
			c.fault(n, "invalid-process-identifier", "PROCESSID: %v", err)
		}
	},
	"COUNTRY_C1": func(c *check, n xmltree.Node, value, _ string) {
		if len(value) != 2 || strings.Trim(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			c.fault(n, "invalid-country-c1", "COUNTRY_C1 must be a code of two capital letters, it is %q", shown(value))
		}
	},
	"MLS_TO": func(c *check, n xmltree.Node, value, identifier string) {
		switch _, err := peppol.ParseParticipant(value); {
		case value == "":
			c.fault(n, "mls-to-empty", "MLS_TO has no InstanceIdentifier: the participant who gets the status message")
		case identifier != peppol.ParticipantScheme:
			c.fault(n, "mls-to-no-scheme", "the Identifier of MLS_TO must be %s, it is %q", peppol.ParticipantScheme, shown(identifier))
		case err != nil:
			c.fault(n, "mls-to-invalid-value", "MLS_TO: %v", err)
		}
	},
	"MLS_TYPE": func(c *check, n xmltree.Node, value, _ string) {
		switch {
		case value == "":
			c.fault(n, "mls-type-empty", "MLS_TYPE has no InstanceIdentifier; it is ALWAYS_SEND or FAILURE_ONLY")
		case value != "ALWAYS_SEND" && value != "FAILURE_ONLY":
			c.fault(n, "mls-type-invalid-value", "MLS_TYPE must be ALWAYS_SEND or FAILURE_ONLY, it is %q", shown(value))
		}
	},
}

// identification checks DocumentIdentification, and that it agrees with the document type.
func (c *check) identification(header xmltree.Node) {
	n := c.child(header, "DocumentIdentification")
	if n == xmltree.None {
		c.fault(header, "no-document-identification", "there is no DocumentIdentification")
		return
	}
	at := func(local string) xmltree.Node { return cmpNode(c.child(n, local), n) }
	c.standard, c.kind = c.text(n, "Standard"), c.text(n, "Type")
	if c.text(n, "InstanceIdentifier") == "" {
		c.fault(at("InstanceIdentifier"), "invalid-instance-identifier", "InstanceIdentifier is empty; it must be unique among all messages")
	}
	if created := c.text(n, "CreationDateAndTime"); !isDateTime(created) {
		c.fault(at("CreationDateAndTime"), "invalid-creation-date-and-time", "CreationDateAndTime must be a time such as 2026-03-09T12:00:00Z, it is %q", shown(created))
	}
	d := c.document
	if d.Value == "" {
		return
	}
	if c.standard != d.Standard() {
		c.fault(at("Standard"), "invalid-standard", "Standard must be that of DOCUMENTID, %q; it is %q", shown(d.Standard()), shown(c.standard))
	}
	if d.Local() != "" && c.kind != d.Local() {
		c.fault(at("Type"), "invalid-type", "Type must be that of DOCUMENTID, %q; it is %q", shown(d.Local()), shown(c.kind))
	}
	if v := c.text(n, "TypeVersion"); v == "" || d.Local() != "" && v != d.Version() {
		c.fault(at("TypeVersion"), "invalid-type-version", "TypeVersion must be that of DOCUMENTID, %q; it is %q", shown(d.Version()), shown(v))
	}
}

// isDateTime tells whether a text is an xs:dateTime with or without a zone (XML Schema part 2, clause 3.2.7), from year 1 to 9999.
func isDateTime(s string) bool {
	return slices.ContainsFunc([]string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05"}, func(layout string) bool {
		_, err := time.Parse(layout, s)
		return err == nil
	})
}

// payload checks that there is one document, of the kind that the header names.
func (c *check) payload() {
	n := payloadOf(c.doc)
	if n == xmltree.None {
		c.fault(c.doc.Root(), "no-business-message", "there is no document beside the header")
		return
	}
	if c.doc.Namespace(n) == ContentNamespace {
		c.content(n)
		return
	}
	if c.document.Local() == "" {
		return // what is wrong with it was told
	}
	if c.doc.Namespace(n) != c.document.Standard() || c.doc.Local(n) != c.document.Local() {
		c.fault(n, "invalid-business-message", "the document is %s of %q, DOCUMENTID names %s of %q", shown(c.doc.Local(n)), shown(c.doc.Namespace(n)),
			shown(c.document.Local()), shown(c.document.Standard()))
	}
}

// content checks what is no XML.
func (c *check) content(n xmltree.Node) {
	if local := c.doc.Local(n); local != "BinaryContent" && local != "TextContent" {
		c.fault(n, "invalid-business-message", "%s is no element of the Peppol envelope: BinaryContent or TextContent", shown(local))
		return
	}
	if mime, _ := c.doc.AttrValue(n, "mimeType"); strings.TrimSpace(string(mime)) == "" {
		c.fault(n, "invalid-business-message", "%s has no mimeType", c.doc.Local(n))
	}
	if _, err := contentOf(c.doc, n); err != nil {
		c.fault(n, "invalid-business-message", "%v", err)
	}
}

// structure checks order, number and names of the elements by the schema.
func (c *check) structure(n xmltree.Node, e element) {
	at := 0 // in e.children
	count := 0
	for m, end := c.doc.Children(n); m < end; m = c.doc.End(m) {
		if c.doc.Kind(m) == xmltree.KindText && len(e.children) > 0 && strings.TrimSpace(c.doc.String(m)) != "" {
			c.fault(n, "schema", "%s has text beside its elements", c.doc.Local(n))
		}
		if c.doc.Kind(m) != xmltree.KindElement {
			continue
		}
		for at < len(e.children) && !e.children[at].is(c.doc, m) {
			c.enough(n, e.children[at], count)
			at, count = at+1, 0
		}
		if at == len(e.children) {
			c.fault(m, "schema", "%s has no place here in %s", shown(c.doc.Local(m)), c.doc.Local(n))
			return
		}
		if count++; e.children[at].most > 0 && count > e.children[at].most {
			c.fault(m, "schema", "%s stands in %s more than once", shown(c.doc.Local(m)), c.doc.Local(n))
		}
		if !e.children[at].foreign {
			c.structure(m, e.children[at])
			c.attributes(m, e.children[at])
		}
	}
	for ; at < len(e.children); at, count = at+1, 0 {
		c.enough(n, e.children[at], count)
	}
	c.value(n, e)
}

func (c *check) enough(n xmltree.Node, e element, count int) {
	if count < e.least && !e.told {
		c.fault(n, "schema", "%s has no %s", c.doc.Local(n), cmp.Or(e.name, "document"))
	}
}

func (c *check) value(n xmltree.Node, e element) {
	if e.valid != nil && !e.valid(strings.TrimSpace(c.doc.String(n))) {
		c.fault(n, "schema", "%s is none of the values that it may have", c.doc.Local(n))
	}
}

func (c *check) attributes(n xmltree.Node, e element) {
	first, count := c.doc.Attributes(n)
	for a := first; a < first+xmltree.Node(count); a++ {
		if c.doc.Namespace(a) != "http://www.w3.org/2001/XMLSchema-instance" && !slices.Contains(e.attributes, c.doc.Local(a)) {
			c.fault(n, "schema", "%s has no attribute %s", c.doc.Local(n), shown(c.doc.Local(a)))
		}
	}
}
