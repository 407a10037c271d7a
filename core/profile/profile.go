// Package profile is the customisations of a syntax by country and token, as data: identifiers, type codes, and the steps
// that turn the caller's invoice into the canonical one that the mapping tables know (Derive) and back (Restore).
//
// A step is both directions of one idea. The canonical invoice has one place for each business term: the convenience members
// of the API (notes, gtin, discount …) have been moved there, and what the profile prescribes has been filled in.
//
// To write, operation asks the profile of a customisation In the country of the route and calls Derive, whose Draft the codec
// of the syntax writes; to read, the codec reads the canonical invoice and Restore goes back. A step takes out of the draft
// what it has carried elsewhere: what is still set where the mapping table has no place is told to the caller as not written,
// under the name that Original finds for it. Files are named after countries and national formats; common.go, lines.go,
// tax.go and payment.go have the steps that most share.
package profile

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// Profile is one customisation. It is immutable.
type Profile struct {
	Token           string                  // path token, e.g. xrechnung
	Country         string                  // upper case
	Specification   string                  // BT-24
	Extension       string                  // BT-24 under profile xrechnung-extension; empty where there is none
	BusinessProcess string                  // BT-23 when the invoice states none
	TypeCodes       []string                // codes of UNTDID 1001 that the format has. Default: what its rules allow
	Domestic        map[string]string       // of these codes those that are for a seller and a buyer in one country, with that
	TypeRule        string                  // the rule that limits the type codes, e.g. BR-DE-17; empty where there is none
	Enforced        []string                // rules that are errors in what is written, whatever level their publisher gives them
	Refused         map[invoice.Type]string // types that are not permitted at all, with the reason
	Lineless        bool                    // a document may be without lines
	Steps           []Step

	// GrandTotal asks BR-CO-15 of the caller's invoice, since the official rules do not ask it of every document.
	GrandTotal bool

	// BothDates says that a service period needs both of its dates.
	BothDates bool

	// Attachments are the media types that attached documents may have (BT-125-1), and ExtensionAttachments further ones that they may
	// have under Extension. Default: those of EN 16931. An empty list is for formats whose documents have no files in them.
	Attachments, ExtensionAttachments []string

	trails  func() *trails             // set by New; made when they are asked for first
	nations map[string]func() *Profile // as countries have it that add something, by their codes
}

// New prepares a profile, so that the caller's members are found again behind its steps.
func New(p Profile) *Profile {
	p.trails = sync.OnceValue(func() *trails { return newTrails(p.Steps) })
	return &p
}

// Step is one idea of how the API's invoice differs from the canonical one.
type Step struct {
	Name    string
	Moves   []Move       // members that the step carries elsewhere, for finding the caller's again; the first that fits counts
	Copies  []Move       // members that the step repeats where another is left out
	Derive  func(*Draft) // nil where there is nothing to derive
	Restore func(*Draft) // nil where nothing can be taken back
}

// Move says that the step carries one member to another; paths have [] for lists, and [0] where only the first entry is meant.
type Move struct{ From, To string }

// Draft is an invoice on its way through the steps.
type Draft struct {
	Invoice  *invoice.Invoice
	Profile  *Profile
	Root     invoice.Type // Restore: credit_note when the document element is one
	Warnings []finding.Finding
	Errors   []finding.Finding // what the target cannot express: 422

	deep     bool             // the steps are for the lines within lines as well
	given    *invoice.Invoice // Derive: the caller's invoice; nil of a Draft that Derive did not make
	traced   *traces          // of given and Invoice; made when a name is asked for first
	assumed  bool             // a category was assumed
	inserted map[string]bool  // lists that got an entry in front

	ownNational bool // countrySpecific.national is this draft's alone
}

func (d *Draft) warn(code string, field, format string, args ...any) {
	d.Warnings = append(d.Warnings, finding.Finding{Code: code, Field: field, Message: fmt.Sprintf(format, args...)})
}

// leave takes a text or a date out of the invoice that the format has no place for, and tells of it by the caller's name of the member.
func leave[T ~string](d *Draft, member *T, field, why string) {
	if *member == "" {
		return
	}
	name := d.Original(field)
	d.warn(finding.FieldNotWritten, name, "%s is not written: %s", name, why)
	*member = ""
}

func (d *Draft) refuse(code string, field, format string, args ...any) {
	d.Errors = append(d.Errors, finding.Finding{Code: code, Field: field, Message: fmt.Sprintf(format, args...)})
}

// Derive runs the steps on a copy of an invoice that passed the input checks. The invoice itself is not changed, and must not be as
// long as the draft is asked for the caller's names.
func (p *Profile) Derive(given *invoice.Invoice) *Draft {
	inv := given.Clone()
	d := &Draft{Invoice: inv, Profile: p, deep: p.extended(inv), given: given}
	if d.deep && inv.Type == invoice.TypeCreditNote {
		d.refuse(finding.TypeNotPermitted, "profile", "profile is %s, which has no credit note: the extension of XRechnung is for invoices only; "+
			"leave profile out, and with it subItems and thirdPartyPayments", inv.Profile)
	}
	if field := p.HalfPeriod(inv); field != "" {
		d.refuse(finding.BothDatesRequired, field, "%s needs both dates, start and end: %s has no period with one", field, p.Token)
	}
	for _, s := range p.Steps {
		if s.Derive != nil {
			s.Derive(d)
		}
	}
	return d
}

// Restore takes the steps back on what a mapping read. It changes the invoice. The last step is taken back first, so that
// each finds what it had made.
func (p *Profile) Restore(inv *invoice.Invoice, root invoice.Type) *Draft {
	d := &Draft{Invoice: inv, Profile: p, Root: root, deep: true}
	for i := len(p.Steps) - 1; i >= 0; i-- {
		if restore := p.Steps[i].Restore; restore != nil {
			restore(d)
		}
	}
	return d
}

// coreAttachments are the media types of attached documents in EN 16931 (rule BR-CL-24).
var coreAttachments = []string{"application/pdf", "image/png", "image/jpeg", "text/csv",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.oasis.opendocument.spreadsheet"}

// Attaches tells whether an invoice may have attached documents of a media type.
func (p *Profile) Attaches(inv *invoice.Invoice, mediaType string) bool {
	types := p.Attachments
	if types == nil {
		types = coreAttachments
	}
	return slices.Contains(types, mediaType) || p.extended(inv) && slices.Contains(p.ExtensionAttachments, mediaType)
}

// HoldsFiles tells whether documents can have files in them.
func (p *Profile) HoldsFiles() bool { return p.Attachments == nil || len(p.Attachments) > 0 }

// SpecificationOf is BT-24 for an invoice.
func (p *Profile) SpecificationOf(inv *invoice.Invoice) string {
	if p.extended(inv) {
		return p.Extension
	}
	return p.Specification
}

// extended tells whether an invoice is by the extension, which alone has lines within lines.
func (p *Profile) extended(inv *invoice.Invoice) bool {
	return inv.Profile == invoice.ProfileXRechnungExtension && p.Extension != ""
}

// lines goes through the lines that the steps are for, each before the lines within it.
func (d *Draft) lines() iter.Seq2[invoice.LinePath, *invoice.Item] { return d.linesOf(d.Invoice) }

func (d *Draft) linesOf(inv *invoice.Invoice) iter.Seq2[invoice.LinePath, *invoice.Item] {
	if d.deep {
		return inv.Lines()
	}
	return inv.TopLines()
}

// network tells whether documents are delivered by Peppol, which has one business process for each specification and no scheme for addresses
// outside of it, such as e-mail (Peppol BIS, PINT; Electronic Address Scheme code list).
func (p *Profile) network() bool {
	return p.Specification == PeppolBilling || p.Specification == PeppolSelfBilling || strings.HasPrefix(p.BusinessProcess, "urn:peppol:bis:")
}

// Adapt gives the invoice of a document of another specification without what a document that Peppol delivers cannot say, so that the steps derive it:
// a business process of another specification (BT-23), and electronic addresses outside of the network (BT-34, BT-49). The invoice itself is not
// changed; there is a warning for each thing that is left out.
//
// The number of the process, the NN of PEPPOL-EN16931-R007, may be any; the specification in front of it decides.
func (p *Profile) Adapt(inv *invoice.Invoice) (*invoice.Invoice, []finding.Finding) {
	if !p.network() {
		return inv, nil
	}
	adapted, told := *inv, []finding.Finding{}
	leave := func(field, format string, args ...any) {
		told = append(told, finding.Finding{Code: finding.FieldNotWritten, Field: field, Message: fmt.Sprintf("%s is not carried: "+format, append([]any{field}, args...)...)})
	}
	if own := strings.TrimSuffix(p.BusinessProcess, "01:1.0"); inv.BusinessProcess != "" && !strings.HasPrefix(inv.BusinessProcess, own) {
		leave("businessProcess", "the process of the target is %s", p.BusinessProcess)
		adapted.BusinessProcess = ""
	}
	for name, party := range map[string]**invoice.Party{"seller": &adapted.Seller, "buyer": &adapted.Buyer} {
		if q := *party; q != nil && q.ElectronicAddress != nil && outsideNetwork.MatchString(q.ElectronicAddress.SchemeID) {
			other := *q
			other.ElectronicAddress = nil
			*party = &other
			leave(name+".electronicAddress.id", "Peppol delivers to no address of the scheme %s", q.ElectronicAddress.SchemeID)
			leave(name+".electronicAddress.schemeId", "Peppol has no scheme %s", q.ElectronicAddress.SchemeID)
		}
	}
	slices.SortFunc(told, func(a, b finding.Finding) int { return strings.Compare(a.Field, b.Field) })
	return &adapted, told
}

// outsideNetwork are the schemes of EAS that are none of Peppol: AN, AQ, AS, AU and EM, which name kinds of mail.
var outsideNetwork = regexp.MustCompile("^[A-Z]{2}$")
