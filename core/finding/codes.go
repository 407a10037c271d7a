package finding

// Codes of what happens between the invoice of the API and a document.
const (
	FieldNotWritten          = "FIELD_NOT_WRITTEN"          // the target has no place for a member
	DocumentTypeFallback     = "DOCUMENT_TYPE_FALLBACK"     // issued as 380, because the target has no code for the type
	TypeNotPermitted         = "TYPE_NOT_PERMITTED"         // the target forbids the type
	TypeContradiction        = "TYPE_CONTRADICTION"         // countrySpecific.invoiceTypeCode means another type
	SellerIdentifierDerived  = "SELLER_IDENTIFIER_DERIVED"  // a tax number is written as BT-29
	CreditNoteSignFlipped    = "CREDIT_NOTE_SIGN_FLIPPED"   // a negative credit note is written as a positive one
	LineSignMoved            = "LINE_SIGN_MOVED"            // a negative price is written as a negative quantity
	LineNetMismatch          = "LINE_NET_MISMATCH"          // the net amount of a line is not what its parts give
	ValueCalculated          = "VALUE_CALCULATED"           // an absent amount was computed
	ElementNotMapped         = "ELEMENT_NOT_MAPPED"         // a piece of a parsed document that the invoice does not hold
	SpecRuleFailed           = "SPEC_RULE_FAILED"           // a standard rule without a house code fired
	SelfCheckIncomplete      = "SELF_CHECK_INCOMPLETE"      // a rulebook could not be applied
	ParseFailed              = "PARSE_FAILED"               // a document that cannot be read
	FormatNotDetected        = "FORMAT_NOT_DETECTED"        // the document element is unknown
	CountryNotDetected       = "COUNTRY_NOT_DETECTED"       // the format is known, the country is not
	ConflictingFormatOptions = "CONFLICTING_FORMAT_OPTIONS" // two options contradict each other
	UnsupportedFormatVersion = "UNSUPPORTED_FORMAT_VERSION" // the format has no such version
	UnsupportedFormatProfile = "UNSUPPORTED_FORMAT_PROFILE" // the format has no such profile
)
