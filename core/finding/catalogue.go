package finding

// Codes of what may be wrong with the input. They are stable: clients decide by them.
const (
	MissingField        = "MISSING_FIELD"
	InvalidJSON         = "INVALID_JSON"
	JSONTooDeep         = "JSON_TOO_DEEP"
	DuplicateMember     = "DUPLICATE_MEMBER"
	InvalidType         = "INVALID_TYPE"
	InvalidNumber       = "INVALID_NUMBER"
	InvalidDate         = "INVALID_DATE"
	InvalidValue        = "INVALID_VALUE"
	InvalidCharacter    = "INVALID_CHARACTER"
	InvalidBase64       = "INVALID_BASE64"
	StringTooLong       = "STRING_TOO_LONG"
	TooManyEntries      = "TOO_MANY_ENTRIES"
	OutOfRange          = "OUT_OF_RANGE"
	TooManyDecimals     = "TOO_MANY_DECIMALS"
	InvalidIBAN         = "INVALID_IBAN"
	InvalidBIC          = "INVALID_BIC"
	CountryCodeMismatch = "COUNTRY_CODE_MISMATCH"
	PrepaymentsMismatch = "PREPAYMENTS_MISMATCH"
	FindingsOmitted     = "FINDINGS_OMITTED"
	TooManyLineItems    = "TOO_MANY_LINE_ITEMS"
	TooManyInvoiceLines = "TOO_MANY_INVOICE_LINES"
	SubItemsTooDeep     = "SUB_ITEMS_TOO_DEEP"
	PayloadTooLarge     = "PAYLOAD_TOO_LARGE"
)

// Codes of warnings about the input.
const (
	FieldTooLong               = "FIELD_TOO_LONG"
	CountryCodeAssumed         = "COUNTRY_CODE_ASSUMED"
	InvoiceLinesAboveModeLimit = "INVOICE_LINES_ABOVE_MODE_LIMIT"
)

// Entry says what a code means.
type Entry struct {
	Code     string
	Severity Severity
	Meaning  string // one line, for the documentation
}

// catalogue lists the codes with their meaning.
var catalogue = []Entry{
	{MissingField, Fatal, "A required member is absent, null or empty."},
	{InvalidJSON, Fatal, "The text is not JSON in UTF-8 (RFC 8259)."},
	{JSONTooDeep, Fatal, "Objects and arrays are nested too deeply."},
	{DuplicateMember, Fatal, "An object has two members of the same name."},
	{InvalidType, Fatal, "The value is of another JSON type."},
	{InvalidNumber, Fatal, "The number has too many digits, too large an exponent, or is not whole where it must be."},
	{InvalidDate, Fatal, "The text is not a calendar date YYYY-MM-DD."},
	{InvalidValue, Fatal, "The value is none of the allowed ones or not of the form wanted."},
	{InvalidCharacter, Fatal, "The text has a character that XML 1.0 cannot carry."},
	{InvalidBase64, Fatal, "The text is not strict base64 (RFC 4648) with padding."},
	{StringTooLong, Fatal, "The text is longer than any field may be."},
	{TooManyEntries, Fatal, "The lists of the invoice have too many entries in all."},
	{OutOfRange, Fatal, "The number is outside the allowed range."},
	{TooManyDecimals, Fatal, "The number has more digits after the point than allowed; it is never rounded."},
	{InvalidIBAN, Fatal, "The IBAN fails ISO 13616 (form or check digits)."},
	{InvalidBIC, Fatal, "The BIC does not have 8 or 11 letters and digits (ISO 9362)."},
	{CountryCodeMismatch, Fatal, "countrySpecific is for another country than the request."},
	{PrepaymentsMismatch, Fatal, "The prepayments do not add up to prepaidAmount."},
	{FindingsOmitted, Fatal, "Further findings are not listed."},
	{TooManyLineItems, Fatal, "The invoice has more entries in items than the plan or the service allows."},
	{TooManyInvoiceLines, Fatal, "The invoice has more lines in all, sub-items included, than the service allows."},
	{SubItemsTooDeep, Fatal, "Sub-items are nested more than 100 levels deep."},
	{PayloadTooLarge, Fatal, "The body or the attachments together are too large."},
	{FieldTooLong, Warning, "The text is longer than the field's limit; a later release refuses it."},
	{CountryCodeAssumed, Warning, "countrySpecific has no countryCode; the country of the request is taken."},
	{InvoiceLinesAboveModeLimit, Warning, "The invoice has more lines than this server's mode allows; a later release refuses it."},
}

// Catalogue lists every code of this package with its meaning, errors first. The caller must not change it.
func Catalogue() []Entry { return catalogue }
