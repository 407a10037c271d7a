package finding

// Code is a stable machine word of errors[] or warnings[].
type Code string

// Codes of what happens between the invoice of the API and a document.
const (
	FieldNotWritten         Code = "FIELD_NOT_WRITTEN"         // the target has no place for a member
	DocumentTypeFallback    Code = "DOCUMENT_TYPE_FALLBACK"    // issued as 380, because the target has no code for the type
	TypeNotPermitted        Code = "TYPE_NOT_PERMITTED"        // the target forbids the type
	TypeContradiction       Code = "TYPE_CONTRADICTION"        // countrySpecific.invoiceTypeCode means another type
	SellerIdentifierDerived Code = "SELLER_IDENTIFIER_DERIVED" // a tax number is written as BT-29
	CreditNoteSignFlipped   Code = "CREDIT_NOTE_SIGN_FLIPPED"  // a negative credit note is written as a positive one
	LineSignMoved           Code = "LINE_SIGN_MOVED"           // a negative price is written as a negative quantity
	LineNetMismatch         Code = "LINE_NET_MISMATCH"         // the net amount of a line is not what its parts give
	ValueCalculated         Code = "VALUE_CALCULATED"          // an absent amount was computed
	ElementNotMapped        Code = "ELEMENT_NOT_MAPPED"        // a piece of a parsed document that the invoice does not hold
	BRDE17                  Code = "BR-DE-17"                  // XRechnung: type code (BT-3)
)
