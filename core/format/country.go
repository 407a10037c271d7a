package format

import "slices"

// Country is one of the countries that the service covers.
type Country struct {
	Code     string   // ISO 3166-1 alpha-2, upper case
	Name     string   // English short name
	Tokens   []string // path tokens in which its invoices are written, pdf first
	ReadOnly []string // further path tokens, whose documents are parsed and validated only

	// Frameworks are the business processes (BT-23) of a reform of the country. Its rules judge the documents of EN 16931 itself that name one.
	Frameworks []string
}

// All lists the path tokens of the country, those that are only read last.
func (c *Country) All() []string { return slices.Concat(c.Tokens, c.ReadOnly) }

// Has tells whether the country has a path token, in lower case.
func (c *Country) Has(token string) bool {
	return slices.Contains(c.Tokens, token) || slices.Contains(c.ReadOnly, token)
}

// Reforms tells whether the rules of a reform of the country judge a document of EN 16931 itself, by its specification identifier (BT-24) and
// business process (BT-23).
func (c *Country) Reforms(specification, process string) bool {
	return specification == CoreSpecification && slices.Contains(c.Frameworks, process)
}
