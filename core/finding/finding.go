// Package finding is what an operation has to say: findings (errors, warnings, information) and refusals, in the shapes of
// the contract, and the catalogue of their codes.
package finding

// Severity ranks a finding.
type Severity uint8

// The severities: fatal findings are errors, warnings are warnings, information is dropped from answers except where an
// answer has a place for it.
const (
	Fatal Severity = iota
	Warning
	Information
)

// Finding is one entry of errors[], warnings[], infos[] or complianceErrors[]. Only Code, Message and Field are always
// written; the others belong to the codes for which the contract names them.
type Finding struct {
	Code        string `json:"code"`
	Message     string `json:"message"`
	Field       string `json:"field"`                // JSON path relative to invoice, e.g. items[3].taxRate; for documents an XPath
	Rule        string `json:"rule,omitzero"`        // standard rule id, in complianceErrors[]
	Maximum     int64  `json:"maximum,omitzero"`     // FIELD_TOO_LONG
	Count       int64  `json:"count,omitzero"`       // INVOICE_LINES_ABOVE_MODE_LIMIT
	Limit       int64  `json:"limit,omitzero"`       // INVOICE_LINES_ABOVE_MODE_LIMIT
	EnforceFrom string `json:"enforceFrom,omitzero"` // SPEC_RULE_PENDING, date YYYY-MM-DD
	PendingKey  string `json:"pendingKey,omitzero"`  // SPEC_RULE_PENDING
	SpecID      string `json:"specId,omitzero"`      // SPEC_RULE_PENDING

	Place Place `json:"-"` // in a document, for reports beside the API
}

// Place is what a finding is about. What is not known is empty.
type Place struct {
	Term     string // business term or group, e.g. BT-10
	Path     string // XPath with positions in the caller's document
	Line     int    // from 1, in the caller's document
	Expected string // what the other values of the invoice ask for
	Actual   string // what stands there
}

// Detail is a finding with all that is known of its place, for programs that show it: the contract gives entries of errors[] and
// warnings[] no such members.
type Detail struct {
	Severity string `json:"severity"` // error or warning
	Code     string `json:"code"`
	Message  string `json:"message"`
	Field    string `json:"field"`
	Rule     string `json:"rule,omitzero"`
	Line     int    `json:"line,omitzero"`
	Path     string `json:"path,omitzero"`
	Term     string `json:"term,omitzero"`
	Expected string `json:"expected,omitzero"`
	Actual   string `json:"actual,omitzero"`
}

// Details gives errors, then warnings, with their places.
func Details(errors, warnings []Finding) []Detail {
	list := make([]Detail, 0, len(errors)+len(warnings))
	for i, findings := range [][]Finding{errors, warnings} {
		for _, f := range findings {
			p := f.Place
			list = append(list, Detail{Severity: [...]string{"error", "warning"}[i], Code: f.Code, Message: f.Message, Field: f.Field, Rule: f.Rule,
				Line: p.Line, Path: p.Path, Term: p.Term, Expected: p.Expected, Actual: p.Actual})
		}
	}
	return list
}

// Kind says which kind of refusal it is; the API maps it to an HTTP status, the command line to an exit code.
type Kind uint8

// The kinds of refusal.
const (
	Internal      Kind = iota // 500, exit 3
	BadRequest                // 400, exit 1
	Unauthorized              // 401
	Forbidden                 // 403
	NotFound                  // 404
	Conflict                  // 409
	TooLarge                  // 413, exit 1
	Unprocessable             // 422, exit 1
	RateLimited               // 429
	Unavailable               // 503
)

// Refusal is an operation's public "no" as an error: the contract's words and, apart from them, the private cause for the log.
type Refusal struct {
	Kind    Kind
	Word    string    // value of the member error, e.g. "Bad Request", PARSE_FAILED
	Message string    // names the reason and the field
	Code    string    // machine reason; empty means none
	Field   string    // JSON path of the request; empty means none
	Errors  []Finding // entries of errors[]; empty means one made of code, message and field
	Extra   []Extra   // members that the contract names for this word, e.g. lineItems, maximum, limit, detection
	Cause   error     // private
}

// Extra is one further member of an error body.
type Extra struct {
	Name  string
	Value any // encoded as JSON
}

// Error gives the public message.
func (r *Refusal) Error() string { return r.Message }

// Unwrap gives the private cause.
func (r *Refusal) Unwrap() error { return r.Cause }
