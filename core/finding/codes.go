// Code generated from codes.txt by go test ./core/finding -update. DO NOT EDIT.

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
	InvalidTemplate     = "INVALID_TEMPLATE"
	InvalidMultipart    = "INVALID_MULTIPART"
	InvalidZIP          = "INVALID_ZIP"
)

// Codes of sending through Peppol.
const (
	PeppolNotConfigured       = "PEPPOL_NOT_CONFIGURED"
	PeppolRecipientUnknown    = "PEPPOL_RECIPIENT_UNKNOWN"
	PeppolDocumentUnsupported = "PEPPOL_DOCUMENT_TYPE_UNSUPPORTED"
	PeppolSendFailed          = "PEPPOL_SEND_FAILED"
	PeppolReceiptMissing      = "PEPPOL_RECEIPT_MISSING"
)

// Codes of sending to the tax office.
const (
	VeriFactuSendFailed = "VERIFACTU_SEND_FAILED"
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
	BothDatesRequired        = "INVOICE_SERVICE_PERIOD_BOTH_DATES_REQUIRED"
	TypeContradiction        = "TYPE_CONTRADICTION"
	SpecRuleFailed           = "SPEC_RULE_FAILED"
	ValidationNotRun         = "VALIDATION_NOT_RUN"
	SchemaViolation          = "XSD-ERROR"
	AssertWithoutID          = "SCHEMATRON_ASSERT_WITHOUT_ID"
	ReportWithoutID          = "SCHEMATRON_REPORT_WITHOUT_ID"
	ConversionFailed         = "CONVERSION_FAILED"
	ParseFailed              = "PARSE_FAILED"
	FormatNotDetected        = "FORMAT_NOT_DETECTED"
	CountryNotDetected       = "COUNTRY_NOT_DETECTED"
	ConflictingFormatOptions = "CONFLICTING_FORMAT_OPTIONS"
	UnsupportedFormatVersion = "UNSUPPORTED_FORMAT_VERSION"
	UnsupportedFormatProfile = "UNSUPPORTED_FORMAT_PROFILE"
)

// Codes of warnings about the way between the invoice and a document.
const (
	CharacterNotShown       = "CHARACTER_NOT_SHOWN"
	FieldNotWritten         = "FIELD_NOT_WRITTEN"
	DocumentTypeFallback    = "DOCUMENT_TYPE_FALLBACK"
	GroupNotRepresentable   = "GROUP_NOT_REPRESENTABLE"
	PeriodNotRepresentable  = "INVOICE_SERVICE_PERIOD_NOT_REPRESENTABLE"
	ForeignCurrencyTaxPLN   = "FOREIGN_CURRENCY_TAX_PLN"
	RetentionNotCarried     = "RETENTION_NOT_CARRIED"
	GreekSellerAFM          = "GR_AFM_001"
	GreekBuyerAFM           = "GR_AFM_002"
	GreekMissingMark        = "GR_CREDIT_NOTE_MISSING_MARK"
	GreekInvoiceType        = "GR_INV_001"
	GreekNegativeAmount     = "GR_INV_002"
	GreekNumberRequired     = "GR_INV_NUM_REQUIRED"
	SellerIdentifierDerived = "SELLER_IDENTIFIER_DERIVED"
	IssueTimeAssumed        = "ISSUE_TIME_ASSUMED"
	DeliveryDateAssumed     = "DELIVERY_DATE_ASSUMED"
	CreditNoteSignFlipped   = "CREDIT_NOTE_SIGN_FLIPPED"
	LineSignMoved           = "LINE_SIGN_MOVED"
	TaxCategoryAssumed      = "TAX_CATEGORY_ASSUMED"
	SmallBusinessWithVAT    = "DE_KU_001"
	ValueAssumed            = "VALUE_ASSUMED"
	UnsignedFacturae        = "ES_FACTURAE_UNSIGNED"
	TextTransliterated      = "TEXT_TRANSLITERATED"
	LineNetMismatch         = "LINE_NET_MISMATCH"
	DecimalsReduced         = "DECIMALS_REDUCED"
	ValueCalculated         = "VALUE_CALCULATED"
	ElementNotMapped        = "ELEMENT_NOT_MAPPED"
	VeriFactuNotSent        = "VERIFACTU_NOT_SENT"
	SelfCheckIncomplete     = "SELF_CHECK_INCOMPLETE"
	SpecRulePending         = "SPEC_RULE_PENDING"
	VATIDCountryPrefixAdded = "VAT_ID_COUNTRY_PREFIX_ADDED"
)

// Codes of warnings about PDF files that carry an invoice.
const (
	CarrierFontsNotChecked          = "CARRIER_FONTS_NOT_CHECKED"
	CarrierFontsNotEmbedded         = "CARRIER_FONTS_NOT_EMBEDDED"
	CarrierSignatureInvalidated     = "CARRIER_SIGNATURE_INVALIDATED"
	CarrierCertificationInvalidated = "CARRIER_CERTIFICATION_INVALIDATED"
	CarrierRepaired                 = "CARRIER_REPAIRED"
	ResultNotRechecked              = "PDF_RESULT_NOT_RECHECKED"
)

// Codes of infos, which tell of the input or the document what is neither an error nor a warning.
const (
	Specification = "SPECIFICATION"
	Unwrapped     = "UNWRAPPED"
	UnknownMember = "UNKNOWN_MEMBER"
)
