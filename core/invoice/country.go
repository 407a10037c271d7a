package invoice

import "github.com/einvoiced/einvoiced/core/engine/decimal"

// CountrySpecific holds the national members of all countries; which of them mean something is decided by the country. A
// generic member of the invoice wins over its national twin.
type CountrySpecific struct {
	CountryCode     string `json:"countryCode,omitzero"`     // ISO 3166-1 alpha-2, any case; must match the country of the path
	InvoiceTypeCode string `json:"invoiceTypeCode,omitzero"` // BT-3; wins over type
	TransactionType string `json:"transactionType,omitzero"` // AE, OM: flags as a string of 0 and 1

	// What several formats beyond EN 16931 have.
	UUID         string         `json:"uuid,omitzero"`         // AE (BTAE-07), OM (BTOM-002): of the document, RFC 9562; derived where it is absent
	IssueTime    string         `json:"issueTime,omitzero"`    // HR (HR-BT-2), AE, JP, OM (IBT-168): hh:mm:ss
	TaxBreakdown []TaxBreakdown `json:"taxBreakdown,omitzero"` // HR (HR-BG-2), JP, OM (IBG-38): the second VAT breakdown; derived where it is absent
	National     National       `json:"national,omitzero"`     // national formats: what the invoice has no member for, by element path

	// Germany.
	BuyerReference     string `json:"buyerReference,omitzero"`     // BT-10
	LeitwegID          string `json:"leitwegId,omitzero"`          // BT-10
	PaymentMeansCode   string `json:"paymentMeansCode,omitzero"`   // BT-81
	IsKleinunternehmer *bool  `json:"isKleinunternehmer,omitzero"` // § 19 UStG

	// United Arab Emirates, Japan, Czechia, Hungary, Poland.
	SellerLegalIDType      string          `json:"sellerLegalIdType,omitzero"` // AE: TL, EID, PAS, CD
	BuyerLegalIDType       string          `json:"buyerLegalIdType,omitzero"`
	AuthorityName          string          `json:"authorityName,omitzero"`
	PassportCountry        string          `json:"passportCountry,omitzero"`
	ExchangeRate           decimal.Decimal `json:"exchangeRate,omitzero"`
	ExchangeRateUnits      decimal.Decimal `json:"exchangeRateUnits,omitzero"` // CZ: for how many units of the invoice's currency the rate is
	PrincipalID            string          `json:"principalId,omitzero"`
	BeneficiaryID          string          `json:"beneficiaryId,omitzero"`
	PeppolEndpointID       string          `json:"peppolEndpointId,omitzero"`       // deprecated, never written
	QualifiedInvoiceNumber string          `json:"qualifiedInvoiceNumber,omitzero"` // JP

	// Australia, New Zealand, Austria, Belgium, Bulgaria.
	ABN                      string `json:"abn,omitzero"`
	NZBN                     string `json:"nzbn,omitzero"`
	GSTRegistered            *bool  `json:"gstRegistered,omitzero"`
	OrderReference           string `json:"orderReference,omitzero"`
	SupplierNumber           string `json:"supplierNumber,omitzero"`
	AccountingArea           string `json:"accountingArea,omitzero"`
	GovtSubOrganization      string `json:"govtSubOrganization,omitzero"`
	CancelsReferencedInvoice *bool  `json:"cancelsReferencedInvoice,omitzero"` // AT, HU: the first referenced invoice is void
	EnterpriseNumber         string `json:"enterpriseNumber,omitzero"`
	StructuredCommunication  string `json:"structuredCommunication,omitzero"`
	EIK                      string `json:"eik,omitzero"`
	IssuedBy                 string `json:"issuedBy,omitzero"`

	// Switzerland, Liechtenstein.
	QRReference         string   `json:"qrReference,omitzero"`
	ReferenceType       string   `json:"referenceType,omitzero"`
	UnstructuredMessage string   `json:"unstructuredMessage,omitzero"`
	BillInformation     string   `json:"billInformation,omitzero"`
	AlternativeSchemes  []string `json:"alternativeSchemes,omitzero"`
	UID                 string   `json:"uid,omitzero"` // also GR

	// Czechia, Denmark.
	ICO            string `json:"ico,omitzero"` // also SK
	DIC            string `json:"dic,omitzero"` // also SK
	ICDPH          string `json:"icDph,omitzero"`
	VariableSymbol string `json:"variableSymbol,omitzero"`
	ConstantSymbol string `json:"constantSymbol,omitzero"`
	SpecificSymbol string `json:"specificSymbol,omitzero"`
	VATPayer       *bool  `json:"vatPayer,omitzero"`

	// ReverseChargeCode is the Czech code of goods or services whose tax the buyer owes, as LocalReverseChargeCode of ISDOC has it.
	ReverseChargeCode string `json:"reverseChargeCode,omitzero"`

	CVR         string `json:"cvr,omitzero"`
	FIK         *FIK   `json:"fik,omitzero"`
	GiroAccount string `json:"giroAccount,omitzero"`

	// Spain.
	NIF                  string          `json:"nif,omitzero"` // also PT
	InvoiceSeries        string          `json:"invoiceSeries,omitzero"`
	PersonType           string          `json:"personType,omitzero"`
	ResidenceType        string          `json:"residenceType,omitzero"`
	DIR3                 *DIR3           `json:"dir3,omitzero"`
	CorrectionReasonCode string          `json:"correctionReasonCode,omitzero"`
	CorrectionMethod     string          `json:"correctionMethod,omitzero"`
	WithholdingRate      decimal.Decimal `json:"withholdingRate,omitzero"`
	InvoiceType          string          `json:"invoiceType,omitzero"`
	RegimeKey            string          `json:"regimeKey,omitzero"`
	OperationQualifier   string          `json:"operationQualifier,omitzero"`
	VeriFactu            *bool           `json:"verifactu,omitzero"` // the invoice is registered, in the chain of its issuer

	// France, United Kingdom.
	SIREN             string          `json:"siren,omitzero"`
	SIRET             string          `json:"siret,omitzero"`
	ServiceCode       string          `json:"serviceCode,omitzero"`
	EngagementNumber  string          `json:"engagementNumber,omitzero"`
	RCS               string          `json:"rcs,omitzero"`
	LegalForm         string          `json:"legalForm,omitzero"`
	ShareCapital      decimal.Decimal `json:"shareCapital,omitzero"`
	OperationCategory string          `json:"operationCategory,omitzero"`
	VATOnDebits       *bool           `json:"vatOnDebits,omitzero"`
	Notes             *FrenchNotes    `json:"notes,omitzero"`
	CompanyNumber     string          `json:"companyNumber,omitzero"` // GB, MT

	// Greece.
	AFM               string   `json:"afm,omitzero"`
	TaxOffice         string   `json:"taxOffice,omitzero"`
	Branch            *int     `json:"branch,omitzero"`
	Series            string   `json:"series,omitzero"` // also PT
	MyDataInvoiceType string   `json:"mydataInvoiceType,omitzero"`
	CorrelatedMarks   []string `json:"correlatedMarks,omitzero"`
	Mark              string   `json:"mark,omitzero"`
	QRURL             string   `json:"qrUrl,omitzero"`

	// Croatia, Hungary.
	OIB                 string `json:"oib,omitzero"`
	OperatorOIB         string `json:"operatorOib,omitzero"`
	OperatorCode        string `json:"operatorCode,omitzero"`
	OperatorName        string `json:"operatorName,omitzero"`
	BusinessProcess     string `json:"businessProcess,omitzero"`
	TaxNumber           string `json:"taxNumber,omitzero"`
	GroupTaxNumber      string `json:"groupTaxNumber,omitzero"`
	CustomerVATStatus   string `json:"customerVatStatus,omitzero"`
	InvoiceCategory     string `json:"invoiceCategory,omitzero"`
	InvoiceAppearance   string `json:"invoiceAppearance,omitzero"`
	CashAccounting      *bool  `json:"cashAccounting,omitzero"`
	SmallBusiness       *bool  `json:"smallBusiness,omitzero"`
	ModificationIndex   *int   `json:"modificationIndex,omitzero"`
	ModifyWithoutMaster *bool  `json:"modifyWithoutMaster,omitzero"`
	LineOffset          *int   `json:"lineOffset,omitzero"` // HU: lines of the invoice and its modifications before this one

	// One registry key each: IE, IS, LU, CY, SI and LV, EE, LT, FI, NO and SE, NL.
	CRONumber          string `json:"croNumber,omitzero"`
	Kennitala          string `json:"kennitala,omitzero"`
	RCSNumber          string `json:"rcsNumber,omitzero"`
	HENumber           string `json:"heNumber,omitzero"`
	RegistrationNumber string `json:"registrationNumber,omitzero"`
	RegistryCode       string `json:"registryCode,omitzero"`
	CompanyCode        string `json:"companyCode,omitzero"`
	BusinessID         string `json:"businessId,omitzero"`
	Orgnr              string `json:"orgnr,omitzero"`
	Foretaksregisteret *bool  `json:"foretaksregisteret,omitzero"`
	FSkatt             *bool  `json:"fSkatt,omitzero"`
	KVK                string `json:"kvk,omitzero"`
	OIN                string `json:"oin,omitzero"`

	// Italy.
	RecipientCode     string          `json:"recipientCode,omitzero"`
	PEC               string          `json:"pec,omitzero"`
	TaxRegime         string          `json:"taxRegime,omitzero"`
	DocumentType      string          `json:"documentType,omitzero"`
	SellerFiscalCode  string          `json:"sellerFiscalCode,omitzero"`
	BuyerFiscalCode   string          `json:"buyerFiscalCode,omitzero"`
	ProgressiveNumber string          `json:"progressiveNumber,omitzero"`
	TransmitterID     string          `json:"transmitterId,omitzero"` // VAT identifier of who transmits. Default: the seller
	CIG               string          `json:"cig,omitzero"`
	CUP               string          `json:"cup,omitzero"`
	VATCollectability string          `json:"vatCollectability,omitzero"`
	PaymentMethodCode string          `json:"paymentMethodCode,omitzero"`
	StampDuty         decimal.Decimal `json:"stampDuty,omitzero"`
	Withholding       []Withholding   `json:"withholding,omitzero"`
	PensionFund       []PensionFund   `json:"pensionFund,omitzero"`
	REA               *REA            `json:"rea,omitzero"`

	// Poland.
	NIP              string `json:"nip,omitzero"`
	SplitPayment     *bool  `json:"splitPayment,omitzero"`
	SelfBilling      *bool  `json:"selfBilling,omitzero"`
	CashMethod       *bool  `json:"cashMethod,omitzero"`
	MarginScheme     string `json:"marginScheme,omitzero"`
	PlaceOfIssue     string `json:"placeOfIssue,omitzero"`
	SystemInfo       string `json:"systemInfo,omitzero"`
	CorrectionReason string `json:"correctionReason,omitzero"`
	CorrectionType   *int   `json:"correctionType,omitzero"`
	KSeFNumber       string `json:"ksefNumber,omitzero"`
	IsJST            *bool  `json:"isJst,omitzero"`
	IsVATGroupMember *bool  `json:"isVatGroupMember,omitzero"`
	ExemptionBasis   string `json:"exemptionBasis,omitzero"` // A, B or C, as P_19A to P_19C of FA(3)

	// Portugal, Romania.
	ATCUD                string `json:"atcud,omitzero"`
	SeriesValidationCode string `json:"seriesValidationCode,omitzero"`
	DocumentHash         string `json:"documentHash,omitzero"`
	CertificateNumber    string `json:"certificateNumber,omitzero"`
	TaxRegion            string `json:"taxRegion,omitzero"`
	CUI                  string `json:"cui,omitzero"`
	TradeRegister        string `json:"tradeRegister,omitzero"`
	County               string `json:"county,omitzero"`
}

// FIK is a Danish payment card reference.
type FIK struct {
	CardType       string `json:"cardType,omitzero"`
	CreditorNumber string `json:"creditorNumber,omitzero"`
	PaymentID      string `json:"paymentId,omitzero"`
}

// DIR3 holds the Spanish administrative centres of a public buyer.
type DIR3 struct {
	AccountingOffice string `json:"accountingOffice,omitzero"`
	ManagingBody     string `json:"managingBody,omitzero"`
	ProcessingUnit   string `json:"processingUnit,omitzero"`
	ProposingBody    string `json:"proposingBody,omitzero"`
}

// FrenchNotes are the mandatory mentions of French invoices by subject code.
type FrenchNotes struct {
	PMT string `json:"PMT,omitzero"`
	PMD string `json:"PMD,omitzero"`
	AAB string `json:"AAB,omitzero"`
}

// Withholding is an Italian withholding tax (DatiRitenuta).
type Withholding struct {
	Type   string          `json:"type,omitzero"`
	Amount decimal.Decimal `json:"amount,omitzero"`
	Rate   decimal.Decimal `json:"rate,omitzero"`
	Reason string          `json:"reason,omitzero"`
}

// PensionFund is an Italian pension fund contribution (DatiCassaPrevidenziale).
type PensionFund struct {
	Type            string          `json:"type,omitzero"`
	Rate            decimal.Decimal `json:"rate,omitzero"`
	Amount          decimal.Decimal `json:"amount,omitzero"`
	TaxableAmount   decimal.Decimal `json:"taxableAmount,omitzero"`
	TaxRate         decimal.Decimal `json:"taxRate,omitzero"`
	Nature          string          `json:"nature,omitzero"`
	WithholdingFlag *bool           `json:"withholdingFlag,omitzero"`
}

// REA is an entry in the Italian register of companies (IscrizioneREA).
type REA struct {
	Office       string          `json:"office,omitzero"`
	Number       string          `json:"number,omitzero"`
	Capital      decimal.Decimal `json:"capital,omitzero"`
	Shareholders string          `json:"shareholders,omitzero"`
	Liquidation  string          `json:"liquidation,omitzero"`
}

// TaxBreakdown is one group of the second VAT breakdown that a country's format has: that of Croatia's extension (HR-BG-2), or that in
// the tax currency (IBG-38 of PINT).
type TaxBreakdown struct {
	NetAmount       decimal.Decimal `json:"netAmount,omitzero"`       // HR-BT-16, IBT-189
	TaxAmount       decimal.Decimal `json:"taxAmount,omitzero"`       // HR-BT-17, IBT-190
	TaxCategoryCode string          `json:"taxCategoryCode,omitzero"` // HR-BT-18, IBT-192
	TaxCategoryName string          `json:"taxCategoryName,omitzero"` // HR: HR:PDV25 …
	TaxRate         decimal.Decimal `json:"taxRate,omitzero"`         // HR-BT-19, IBT-193
	ExemptionReason string          `json:"exemptionReason,omitzero"` // HR
}
