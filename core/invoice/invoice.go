// Package invoice is the invoice object of the API: its types, the decoder that reads it from JSON under limits, and the
// input checks that answer 400.
//
// Names of JSON members are the contract's. Doc comments name the business term (BT, BG) of EN 16931-1 that a member carries
// where it carries one. Money, quantities and percentages are exact decimals that keep the scale they were sent with; the
// zero Decimal, Date and string mean "not given".
package invoice

import "github.com/einvoiced/einvoiced/core/engine/decimal"

// Invoice is one invoice, credit note or other document of UNTDID 1001 as the API knows it.
type Invoice struct {
	InvoiceNumber            string               `json:"invoiceNumber,omitzero" check:"required"` // BT-1
	Type                     Type                 `json:"type,omitzero" check:"required"`          // BT-3, as a word
	IssueDate                Date                 `json:"issueDate,omitzero" check:"required"`     // BT-2
	DueDate                  Date                 `json:"dueDate,omitzero"`                        // BT-9
	DeliveryDate             Date                 `json:"deliveryDate,omitzero"`                   // BT-72
	TaxPointDate             Date                 `json:"taxPointDate,omitzero"`                   // BT-7
	TaxPointDateCode         string               `json:"taxPointDateCode,omitzero"`               // BT-8, UNTDID 2005
	ServicePeriod            *Period              `json:"servicePeriod,omitzero"`                  // BG-14
	Currency                 string               `json:"currency,omitzero" check:"required"`      // BT-5
	TaxCurrencyCode          string               `json:"taxCurrencyCode,omitzero"`                // BT-6
	BusinessProcess          string               `json:"businessProcess,omitzero"`                // BT-23
	BuyerReference           string               `json:"buyerReference,omitzero"`                 // BT-10
	ProjectNumber            string               `json:"projectNumber,omitzero"`                  // BT-11
	ContractNumber           string               `json:"contractNumber,omitzero"`                 // BT-12
	OrderNumber              string               `json:"orderNumber,omitzero"`                    // BT-13
	SalesOrderNumber         string               `json:"salesOrderNumber,omitzero"`               // BT-14
	ReceivingAdviceNumber    string               `json:"receivingAdviceNumber,omitzero"`          // BT-15
	DeliveryNote             *DeliveryNote        `json:"deliveryNote,omitzero"`                   // BT-16
	TenderReference          string               `json:"tenderReference,omitzero"`                // BT-17
	ObjectID                 string               `json:"objectId,omitzero"`                       // BT-18
	ObjectIDScheme           string               `json:"objectIdScheme,omitzero"`                 // BT-18-1, UNTDID 1153
	BuyerAccountingReference string               `json:"buyerAccountingReference,omitzero"`       // BT-19
	CustomerNumber           string               `json:"customerNumber,omitzero"`                 // BT-46 unless buyer.identifiers is given
	Notes                    string               `json:"notes,omitzero"`                          // BT-22 of the first BG-1
	NoteEntries              []Note               `json:"noteEntries,omitzero"`                    // BG-1
	ReferencedInvoiceNumber  string               `json:"referencedInvoiceNumber,omitzero"`        // BT-25 of the first BG-3
	ReferencedInvoiceDate    Date                 `json:"referencedInvoiceDate,omitzero"`          // BT-26 of the first BG-3
	ReferencedInvoices       []InvoiceReference   `json:"referencedInvoices,omitzero"`             // BG-3
	Seller                   *Party               `json:"seller,omitzero" check:"required"`        // BG-4
	Buyer                    *Party               `json:"buyer,omitzero" check:"required"`         // BG-7
	Payee                    *Party               `json:"payee,omitzero"`                          // BG-10
	TaxRepresentative        *TaxRepresentative   `json:"taxRepresentative,omitzero"`              // BG-11
	Delivery                 *Delivery            `json:"delivery,omitzero"`                       // BG-13
	PaymentTerms             *PaymentTerms        `json:"paymentTerms,omitzero"`                   // BT-20
	CashDiscountPercent      decimal.Decimal      `json:"cashDiscountPercent,omitzero"`            // 0 < percent <= 100
	CashDiscountDays         *int                 `json:"cashDiscountDays,omitzero"`               // 0..365
	CashDiscountBaseAmount   decimal.Decimal      `json:"cashDiscountBaseAmount,omitzero"`
	PaymentMethods           []PaymentMethod      `json:"paymentMethods,omitzero"`                         // BG-16
	PaymentReference         string               `json:"paymentReference,omitzero"`                       // BT-83
	DirectDebitMandate       *DirectDebit         `json:"directDebitMandate,omitzero"`                     // BG-19
	CardAccount              *CardAccount         `json:"cardAccount,omitzero"`                            // BG-18
	AllowancesCharges        []DocumentCharge     `json:"allowancesCharges,omitzero"`                      // BG-20, BG-21
	Subtotal                 decimal.Decimal      `json:"subtotal,omitzero" check:"required,calculable"`   // BT-109
	Total                    decimal.Decimal      `json:"total,omitzero" check:"required,calculable"`      // BT-112
	TaxSummary               []TaxSummary         `json:"taxSummary,omitzero" check:"required,calculable"` // BG-23
	RoundingAmount           decimal.Decimal      `json:"roundingAmount,omitzero"`                         // BT-114
	PrepaidAmount            decimal.Decimal      `json:"prepaidAmount,omitzero"`                          // BT-113
	Prepayments              []Prepayment         `json:"prepayments,omitzero"`
	Retention                *Retention           `json:"retention,omitzero"`
	ThirdPartyPayments       []ThirdPartyPayment  `json:"thirdPartyPayments,omitzero"`  // BG-DEX-09
	SupportingDocuments      []SupportingDocument `json:"supportingDocuments,omitzero"` // BG-24 without file
	Attachments              []Attachment         `json:"attachments,omitzero"`         // BG-24 with file
	Profile                  Profile              `json:"profile,omitzero"`
	ServiceCategory          ServiceCategory      `json:"serviceCategory,omitzero"`
	ConstructionTax          *ConstructionTax     `json:"constructionTax,omitzero"`
	CountrySpecific          *CountrySpecific     `json:"countrySpecific,omitzero"`
	Items                    []Item               `json:"items,omitzero" check:"required"` // BG-25
}

// Type is the contract's word for BT-3.
type Type string

// The document types of the contract with their UNTDID 1001 codes.
const (
	TypeInvoice                  Type = "invoice"                    // 380
	TypeCreditNote               Type = "credit_note"                // 381
	TypeProforma                 Type = "proforma"                   // 325
	TypeCorrection               Type = "correction"                 // 384
	TypePartial                  Type = "partial"                    // 326
	TypePartialConstruction      Type = "partial_construction"       // 875
	TypePartialFinalConstruction Type = "partial_final_construction" // 876
	TypeFinalConstruction        Type = "final_construction"         // 877
	TypeSelfBilled               Type = "self_billed"                // 389
)

// Profile is the XRechnung flavour that the document asks for; empty means xrechnung.
type Profile string

// The profiles of the contract.
const (
	ProfileXRechnung          Profile = "xrechnung"
	ProfileXRechnungExtension Profile = "xrechnung-extension"
)

// ServiceCategory tells construction work from everything else (§ 13b UStG).
type ServiceCategory string

// The service categories of the contract.
const (
	ServiceConstruction ServiceCategory = "construction"
	ServiceGeneral      ServiceCategory = "general"
)

// Date is a calendar date in the form YYYY-MM-DD; empty means not given.
type Date string

// Base64 is binary content as strict RFC 4648 base64 text with padding, kept undecoded because every syntax carries it so.
type Base64 string

// Period is a span of days with at least one end (BG-14: BT-73, BT-74; BG-26: BT-134, BT-135).
type Period struct {
	Start Date `json:"start,omitzero"`
	End   Date `json:"end,omitzero"`
}

// Note is one free text note (BG-1).
type Note struct {
	Text        string `json:"text,omitzero" check:"required"` // BT-22
	SubjectCode string `json:"subjectCode,omitzero"`           // BT-21, UNTDID 4451
}

// InvoiceReference names a preceding invoice (BG-3).
type InvoiceReference struct {
	Number string `json:"number,omitzero" check:"required"` // BT-25
	Date   Date   `json:"date,omitzero"`                    // BT-26
	// RegistryID is the UUID of the invoice in the tax authority's register (BTOM-031).
	RegistryID string `json:"registryId,omitzero"`
}

// DeliveryNote names the despatch advice (BT-16); its date has no place in EN 16931.
type DeliveryNote struct {
	Number string `json:"number,omitzero" check:"required"` // BT-16
	Date   Date   `json:"date,omitzero"`
}
