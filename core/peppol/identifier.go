// Package peppol is what of the Peppol network needs no network: its identifiers, the DNS names of participants, the kind of a document
// as the network calls it, and what service metadata publishers (SMP) answer.
//
// The facts are those of the Peppol Policy for use of Identifiers 4.x, of the SML specification 1.x (clause "Participant identifiers in
// DNS") and of the eDelivery profile of BDX Location 1.0 (U-NAPTR).
package peppol

import (
	"crypto/md5" //nolint:gosec // the older DNS name is defined by it
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// The schemes of identifiers (Policy for use of Identifiers, POLICY 3, 9, 15).
const (
	ParticipantScheme  = "iso6523-actorid-upis"
	DocumentScheme     = "busdox-docid-qns"
	WildcardScheme     = "peppol-doctype-wildcard" // of the PINT specifications
	ProcessScheme      = "cenbii-procid-ubl"
	TransportProfileV2 = "peppol-transport-as4-v2_0"
)

// The longest values (Policy for use of Identifiers, POLICY 1).
const (
	maxParticipant = 135
	maxDocument    = 500
	maxProcess     = 200
)

// ErrIdentifier says that a text is no identifier of its kind; it is wrapped with what is wrong.
var ErrIdentifier = errors.New("is no Peppol identifier")

// Participant is who sends or receives: a code of ISO 6523 (ICD) and the id under it.
type Participant struct {
	Scheme string // four digits, e.g. 0088
	ID     string
}

// ParseParticipant reads 0088:7315458756324, also with its scheme in front: iso6523-actorid-upis::0088:7315458756324. The error wraps
// ErrIdentifier.
func ParseParticipant(text string) (Participant, error) {
	value := text
	if scheme, rest, ok := strings.Cut(text, "::"); ok {
		if scheme != ParticipantScheme {
			return Participant{}, fmt.Errorf("%.100q %w: the scheme in front must be %s", text, ErrIdentifier, ParticipantScheme)
		}
		value = rest
	}
	icd, id, ok := strings.Cut(value, ":")
	if !ok || !isICD(icd) || id == "" || len(value) > maxParticipant || strings.ContainsFunc(id, reserved) {
		return Participant{}, fmt.Errorf("%.100q %w: it is four digits, a colon and the id of letters, digits and -._~, such as 0088:7315458756324", text, ErrIdentifier)
	}
	return Participant{icd, id}, nil
}

func isICD(s string) bool {
	return len(s) == 4 && strings.Trim(s, "0123456789") == ""
}

// reserved tells whether a character has no place in the id of a participant, which has only those that stand for themselves in URLs (POLICY 1; RFC 3986 §2.3).
func reserved(r rune) bool {
	return !(r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("-._~", r))
}

// unfit tells whether a character has no place in an identifier: blanks, controls, and all beyond ASCII.
func unfit(r rune) bool { return r <= ' ' || r > '~' }

// String gives scheme and id: 0088:7315458756324.
func (p Participant) String() string { return p.Scheme + ":" + p.ID }

// URI gives the identifier with its scheme: iso6523-actorid-upis::0088:7315458756324.
func (p Participant) URI() string { return ParticipantScheme + "::" + p.String() }

// Same tells whether two identifiers name the same participant: case does not matter (POLICY 2).
func (p Participant) Same(other Participant) bool {
	return strings.EqualFold(p.String(), other.String())
}

// Name is where the SML has the participant's U-NAPTR record: the hash by SHA-256 in base32 without padding, the scheme, the zone.
func (p Participant) Name(zone string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(p.String())))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:]) + "." + ParticipantScheme + "." + zone
}

// OldName is where older SMLs have a CNAME record that leads to the SMP: B- and the hash by MD5.
func (p Participant) OldName(zone string) string {
	sum := md5.Sum([]byte(strings.ToLower(p.String()))) //nolint:gosec // see the import
	return "B-" + hex.EncodeToString(sum[:]) + "." + ParticipantScheme + "." + zone
}

// DocumentType is what kind of document is sent, as SMPs list it.
type DocumentType struct {
	Scheme string
	Value  string // namespace::local##customization::version
}

// ParseDocumentType reads a value with or without its scheme in front. The error wraps ErrIdentifier.
func ParseDocumentType(text string) (DocumentType, error) {
	d := DocumentType{DocumentScheme, text}
	for _, scheme := range []string{DocumentScheme, WildcardScheme} {
		if value, ok := strings.CutPrefix(text, scheme+"::"); ok {
			d = DocumentType{scheme, value}
		}
	}
	standard, rest, ok := strings.Cut(d.Value, "##")
	ok = ok && !(d.Scheme == DocumentScheme && strings.Contains(d.Value, "*")) // a wildcard
	if _, version, versioned := lastCut(rest, "::"); !ok || standard == "" || !versioned || version == "" || len(d.Value) > maxDocument || strings.ContainsFunc(d.Value, unfit) {
		return DocumentType{}, fmt.Errorf("%.100q %w: a document type is namespace::local##customization::version", text, ErrIdentifier)
	}
	return d, nil
}

// lastCut is strings.Cut at the last separator.
func lastCut(s, separator string) (before, after string, found bool) {
	at := strings.LastIndex(s, separator)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(separator):], true
}

// Standard is the namespace of the document, or what stands for it where it is no XML.
func (d DocumentType) Standard() string {
	standard, _, _ := strings.Cut(d.Value, "##")
	standard, _, _ = strings.Cut(standard, "::")
	return standard
}

// Local is the name of the document element; empty where the identifier has none.
func (d DocumentType) Local() string {
	standard, _, _ := strings.Cut(d.Value, "##")
	_, local, _ := strings.Cut(standard, "::")
	return local
}

// Customisation is the specification identifier.
func (d DocumentType) Customisation() string {
	_, rest, _ := strings.Cut(d.Value, "##")
	customisation, _, _ := lastCut(rest, "::")
	return customisation
}

// Version is the version of the syntax, e.g. 2.1.
func (d DocumentType) Version() string {
	_, version, _ := lastCut(d.Value, "::")
	return version
}

// URI gives the identifier with its scheme.
func (d DocumentType) URI() string { return d.Scheme + "::" + d.Value }

// Process is the business process that a document belongs to.
type Process struct {
	Scheme string
	Value  string
}

// ParseProcess reads a value with or without its scheme in front. The error wraps ErrIdentifier.
func ParseProcess(text string) (Process, error) {
	value := strings.TrimPrefix(text, ProcessScheme+"::")
	if value == "" || len(value) > maxProcess || strings.ContainsFunc(value, unfit) {
		return Process{}, fmt.Errorf("%.100q %w: a process is a URN such as urn:fdc:peppol.eu:2017:poacc:billing:01:1.0", text, ErrIdentifier)
	}
	return Process{ProcessScheme, value}, nil
}

// URI gives the identifier with its scheme.
func (p Process) URI() string { return p.Scheme + "::" + p.Value }

// GroupPath is the path of a participant at an SMP (SMP specification 1.x, clause 3), percent-encoded. It is in small letters: case does not matter in
// participants, and where a publisher compares them as they stand, that is how it has them.
func GroupPath(p Participant) string { return "/" + escape(strings.ToLower(p.URI())) }

// MetadataPath is the path of one document type of a participant at an SMP.
func MetadataPath(p Participant, d DocumentType) string {
	return GroupPath(p) + "/services/" + escape(d.URI())
}

// escape percent-encodes a path segment; the specification wants all encoded that RFC 3986 §2.3 does not name.
func escape(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if reserved(rune(c)) {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
