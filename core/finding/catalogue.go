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
	InvalidMultipart    = "INVALID_MULTIPART"
)

// Codes of warnings about the input.
const (
	FieldTooLong               = "FIELD_TOO_LONG"
	CountryCodeAssumed         = "COUNTRY_CODE_ASSUMED"
	InvoiceLinesAboveModeLimit = "INVOICE_LINES_ABOVE_MODE_LIMIT"
)

// Codes of what a document cannot express or could not be read as.
const (
	TypeNotPermitted         = "TYPE_NOT_PERMITTED"
	TypeContradiction        = "TYPE_CONTRADICTION"
	SpecRuleFailed           = "SPEC_RULE_FAILED"
	ValidationNotRun         = "VALIDATION_NOT_RUN"
	AssertWithoutID          = "SCHEMATRON_ASSERT_WITHOUT_ID"
	ReportWithoutID          = "SCHEMATRON_REPORT_WITHOUT_ID"
	ParseFailed              = "PARSE_FAILED"
	FormatNotDetected        = "FORMAT_NOT_DETECTED"
	CountryNotDetected       = "COUNTRY_NOT_DETECTED"
	ConflictingFormatOptions = "CONFLICTING_FORMAT_OPTIONS"
	UnsupportedFormatVersion = "UNSUPPORTED_FORMAT_VERSION"
	UnsupportedFormatProfile = "UNSUPPORTED_FORMAT_PROFILE"
)

// Codes of warnings about the way between the invoice and a document.
const (
	FieldNotWritten         = "FIELD_NOT_WRITTEN"
	SellerIdentifierDerived = "SELLER_IDENTIFIER_DERIVED"
	CreditNoteSignFlipped   = "CREDIT_NOTE_SIGN_FLIPPED"
	LineSignMoved           = "LINE_SIGN_MOVED"
	LineNetMismatch         = "LINE_NET_MISMATCH"
	ValueCalculated         = "VALUE_CALCULATED"
	ElementNotMapped        = "ELEMENT_NOT_MAPPED"
	SelfCheckIncomplete     = "SELF_CHECK_INCOMPLETE"
	SpecRulePending         = "SPEC_RULE_PENDING"
	VATIDCountryPrefixAdded = "VAT_ID_COUNTRY_PREFIX_ADDED"
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
	{InvalidMultipart, Fatal, "The multipart body is malformed, or has more parts or longer headers than allowed."},
	{TypeNotPermitted, Fatal, "The target does not permit the document type."},
	{TypeContradiction, Fatal, "The explicit document type code means another type."},
	{SpecRuleFailed, Fatal, "A rule of a standard fired that has no house code; its id is in rule."},
	{ValidationNotRun, Fatal, "A check could not be run, so the document counts as not valid; the message names the rulebook and the reason."},
	{AssertWithoutID, Fatal, "An assert of a rulebook fired that has no id."},
	{ReportWithoutID, Fatal, "A report of a rulebook fired that has no id."},
	{ParseFailed, Fatal, "The document cannot be read."},
	{FormatNotDetected, Fatal, "The document element is that of no known invoice format."},
	{CountryNotDetected, Fatal, "The format is known, but nothing tells a country that is served."},
	{ConflictingFormatOptions, Fatal, "Two format options contradict each other."},
	{UnsupportedFormatVersion, Fatal, "The format has no such version."},
	{UnsupportedFormatProfile, Fatal, "The format has no such profile."},
	{FieldTooLong, Warning, "The text is longer than the field's limit; a later release refuses it."},
	{CountryCodeAssumed, Warning, "countrySpecific has no countryCode; the country of the request is taken."},
	{InvoiceLinesAboveModeLimit, Warning, "The invoice has more lines than this server's mode allows; a later release refuses it."},
	{FieldNotWritten, Warning, "The document has no place for the member."},
	{SellerIdentifierDerived, Warning, "A tax number is written as the seller identifier (BT-29)."},
	{CreditNoteSignFlipped, Warning, "A negative credit note is written with positive quantities and amounts."},
	{LineSignMoved, Warning, "A negative price is written as a negative quantity."},
	{LineNetMismatch, Warning, "The net amount of the line is not what its quantity, price, allowances and charges give."},
	{ValueCalculated, Warning, "An amount that was left out was calculated."},
	{ElementNotMapped, Warning, "A piece of the document is not in the invoice; the field is its XPath."},
	{SelfCheckIncomplete, Warning, "The document was not checked in full, because a rulebook could not be applied."},
	{SpecRulePending, Warning, "A rule that is not enforced yet found something; from enforceFrom on it is an error."},
	{VATIDCountryPrefixAdded, Warning, "The country prefix was put in front of a VAT identifier, because BR-CO-09 asks for it."},
}

// Catalogue lists every code of this package with its meaning, errors first. The caller must not change it.
func Catalogue() []Entry { return catalogue }
