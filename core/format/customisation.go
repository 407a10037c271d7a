package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/profile"
)

// Customisation is a row of the catalogue: a specification of documents in one syntax, and how a country's path token leads to it.
type Customisation struct {
	Token   string // path token
	Syntax  string // name of its Syntax
	Country string // the only one that has it, upper case; empty where several have it
	// Sellers are the countries whose sellers make a document this customisation, where others share the identifier. Default: all.
	Sellers []string
	// Alternatives are the countries that have it where the document names none of those that are served.
	Alternatives []string

	Detection     string   // detection id (supplement §2)
	Specification string   // specification identifier (BT-24), exactly. Default: none of its own
	Contains      string   // in lower case: documents whose specification identifier contains it are of this customisation
	Ends          []string // in lower case: so are those whose identifier ends in one of these, which name a profile of a hybrid
	Process       string   // so are those whose business process (BT-23) begins with it and whose identifier tells nothing

	// Sole says that under the token the countries that have it know no other documents: what is another is judged by it all the same.
	Sole bool

	Profile string           // as formatOptions names it. Default: there is but one
	Carrier string           // path token of what the document is put into. Default: it stands alone
	Steps   *profile.Profile // how an invoice becomes a document. Default: documents are not written yet
	// Takes tells whether it is how an invoice is written, where the token has several for a country. Default: it is for all.
	Takes func(*invoice.Invoice) bool
	// Editions are those of the syntax's table by version, that of all others by an empty one. Default: that of the specification.
	Editions map[string]string
}

// The ways in which a document tells its customisation.
const (
	ByNothing       = iota // it does not
	BySpecification        // the specification identifier names it
	ByProfile              // the specification identifier names the profile of a hybrid
	ByProcess              // the business process names it
)

// tells gives the way in which a specification identifier and a business process, both in lower case, name the customisation.
func (c *Customisation) tells(specification, process string) int {
	switch {
	case c.Contains != "" && strings.Contains(specification, c.Contains):
		return BySpecification
	case slices.ContainsFunc(c.Ends, func(end string) bool { return strings.HasSuffix(specification, end) }):
		return ByProfile
	case c.Process != "" && strings.HasPrefix(process, c.Process):
		return ByProcess
	}
	return ByNothing
}

// Named tells whether documents name the customisation by their specification identifier.
func (c *Customisation) Named() bool { return c.Contains != "" || len(c.Ends) > 0 }

// sells tells whether sellers of a country have the customisation.
func (c *Customisation) sells(country string) bool {
	return len(c.Sellers) == 0 || slices.Contains(c.Sellers, country)
}

// of tells whether a country has the customisation under a path token.
func (c *Customisation) of(country, token string) bool {
	switch {
	case c.Token != token:
		return false
	case len(c.Alternatives) > 0:
		return slices.Contains(c.Alternatives, country)
	}
	return c.Country == "" || c.Country == country
}

// Edition is the form in which documents of a version are written.
func (c *Customisation) Edition(specification, version string) Edition {
	return Edition{Specification: specification, Name: cmp.Or(c.Editions[version], c.Editions[""])}
}

// Options are what a request asks of a format, as formatOptions has it. What is empty is not asked for.
type Options struct {
	Syntax, Profile, Version string
	Invoice                  *invoice.Invoice // that is to be written. Default: any
}

// allows tells whether a customisation is what the options ask for.
func (o Options) allows(c *Customisation) bool {
	return cmp.Or(o.Syntax, c.Syntax) == c.Syntax && cmp.Or(o.Profile, c.Profile) == c.Profile &&
		(o.Invoice == nil || c.Takes == nil || c.Takes(o.Invoice))
}
