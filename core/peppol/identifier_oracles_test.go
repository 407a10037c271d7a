//go:build oracles

package peppol

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/test/oracles"
)

// TestOfficialIdentifiers ensures that peppol-commons reads the identifiers that we read, with the same text and the same place in the paths of publishers, that it
// gives participants the same names in DNS, and that it refuses what we refuse.
func TestOfficialIdentifiers(t *testing.T) {
	others, err := oracles.StartNetwork(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := others.Close(); err != nil {
			t.Error(err)
		}
	}()
	participants := []string{"9915:test", "9915:TEST", "0088:7315458756324", "0204:991-33333TEST-33", "0208:0123456789", "9930:DE123456789", "0192:991825827", "0151:51824753556", "0235:1234567890",
		"0007:5567321707", "0060:1234567890", "0225:123456789_STATUS", "9915:a~b.c_d-e", "9915:a:b", "9915:a/b", "9915:a+b", "9915:ä", "88:1", "0088", "0088:", "00088:1", "abcd:1", "0088:a b", "9915:" + strings.Repeat("x", 130), "9915:" + strings.Repeat("x", 131)}
	for _, text := range participants {
		p, ours := ParseParticipant(text)
		theirs, err := others.Participant(ParticipantScheme + "::" + text)
		if same(t, text, ours, err) {
			zone := strings.TrimSuffix(theirs[2], ".")
			agree(t, text, theirs, []string{strings.ToLower(p.URI()), strings.TrimPrefix(GroupPath(p), "/"), theirs[2], lowerLabel(p.Name(zone)), p.OldName(zone)})
		}
	}
	const billing = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice##urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0::2.1"
	const pint = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice##urn:peppol:pint:billing-1@jp-1::2.1"
	for _, text := range []string{DocumentScheme + "::" + billing, WildcardScheme + "::" + pint, DocumentScheme + "::urn:peppol:doctype:pdf+xml##urn:cen.eu:en16931:2017#conformant#urn:peppol:france:billing:Factur-X:1.0::D22B",
		DocumentScheme + "::" + billing + strings.Repeat("x", 500), DocumentScheme + "::", DocumentScheme + "::" + strings.Replace(billing, "3.0", "*", 1)} {
		d, ours := ParseDocumentType(text)
		theirs, err := others.Document(text)
		if same(t, text, ours, err) {
			_, path, _ := strings.Cut(MetadataPath(Participant{"0088", "1"}, d), "/services/")
			agree(t, text, theirs, []string{d.URI(), path})
		}
	}
	for _, text := range []string{"urn:fdc:peppol.eu:2017:poacc:billing:01:1.0", "urn:peppol:bis:billing", "urn:peppol:france:billing:regulated", "", strings.Repeat("x", 200), strings.Repeat("x", 201)} {
		p, ours := ParseProcess(text)
		theirs, err := others.Process(ProcessScheme + "::" + text)
		if same(t, text, ours, err) {
			agree(t, text, theirs, []string{p.URI(), escape(p.URI())})
		}
	}
}

// lowerLabel writes the first label of a name in small letters, as peppol-commons does; case does not matter in DNS.
func lowerLabel(name string) string {
	label, rest, _ := strings.Cut(name, ".")
	return strings.ToLower(label) + "." + rest
}

// same tells whether both take an identifier, and complains where only one does.
func same(t *testing.T, text string, ours, theirs error) bool {
	t.Helper()
	if _, refused := errors.AsType[*oracles.NetworkRefusal](theirs); theirs != nil && !refused {
		t.Fatal(theirs)
	}
	if (ours == nil) != (theirs == nil) {
		t.Errorf("%q: we say %v, peppol-commons %v", text, ours, theirs)
	}
	return ours == nil && theirs == nil
}

func agree(t *testing.T, text string, theirs, ours []string) {
	t.Helper()
	if !slices.Equal(theirs, ours) {
		t.Errorf("%q: peppol-commons gives %q, we %q", text, theirs, ours)
	}
}
