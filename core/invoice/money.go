package invoice

import "github.com/einvoiced/einvoiced/core/engine/decimal"

// TaxSummary is one group of the VAT breakdown (BG-23).
type TaxSummary struct {
	TaxRate              decimal.Decimal `json:"taxRate,omitzero"`                               // BT-119; absent for category O
	TaxCategoryCode      string          `json:"taxCategoryCode,omitzero"`                       // BT-118
	NetAmount            decimal.Decimal `json:"netAmount,omitzero" check:"required,calculable"` // BT-116
	TaxAmount            decimal.Decimal `json:"taxAmount,omitzero" check:"required,calculable"` // BT-117
	ExemptionReason      string          `json:"exemptionReason,omitzero"`                       // BT-120
	ExemptionReasonCode  string          `json:"exemptionReasonCode,omitzero"`                   // BT-121, VATEX
	TaxCurrencyTaxAmount decimal.Decimal `json:"taxCurrencyTaxAmount,omitzero"`                  // their sum is BT-111
	NatureCode           string          `json:"natureCode,omitzero"`                            // FatturaPA Natura
}

// DocumentCharge is an allowance (BG-20) or a charge (BG-21) on the whole document.
type DocumentCharge struct {
	IsCharge        *bool           `json:"isCharge,omitzero" check:"required"`
	Amount          decimal.Decimal `json:"amount,omitzero" check:"required"` // BT-92, BT-99
	Percentage      decimal.Decimal `json:"percentage,omitzero"`              // BT-94, BT-101
	BaseAmount      decimal.Decimal `json:"baseAmount,omitzero"`              // BT-93, BT-100
	Reason          string          `json:"reason,omitzero"`                  // BT-97, BT-104
	ReasonCode      string          `json:"reasonCode,omitzero"`              // BT-98 (UNTDID 5189), BT-105 (UNTDID 7161)
	TaxCategoryCode string          `json:"taxCategoryCode,omitzero"`         // BT-95, BT-102
	TaxRate         decimal.Decimal `json:"taxRate,omitzero"`                 // BT-96, BT-103

	TaxCategoryName     string `json:"taxCategoryName,omitzero"`     // HR-BT-6
	ExemptionReason     string `json:"exemptionReason,omitzero"`     // IBT-197, IBT-199
	ExemptionReasonCode string `json:"exemptionReasonCode,omitzero"` // IBT-196, IBT-198
}

// Charge tells whether the entry is a charge (BG-21); an entry that does not say is an allowance (BG-20).
func (c *DocumentCharge) Charge() bool { return c.IsCharge != nil && *c.IsCharge }

// PaymentTerms are the terms of payment (BT-20).
type PaymentTerms struct {
	DueDays              *int           `json:"dueDays,omitzero"` // days from the issue date
	Description          string         `json:"description,omitzero"`
	EarlyPaymentDiscount *EarlyDiscount `json:"earlyPaymentDiscount,omitzero"`
}

// EarlyDiscount is a cash discount (the Skonto line of BR-DE-18).
type EarlyDiscount struct {
	Days            *int            `json:"days,omitzero" check:"required"`            // 0..365
	DiscountPercent decimal.Decimal `json:"discountPercent,omitzero" check:"required"` // 0 < percent <= 100, two decimals
	BaseAmount      decimal.Decimal `json:"baseAmount,omitzero"`
}

// PaymentMethodType is the contract's word for BT-81.
type PaymentMethodType string

// The payment method types of the contract with their UNTDID 4461 codes.
const (
	PayBankTransfer   PaymentMethodType = "bank_transfer"   // 30
	PayCreditTransfer PaymentMethodType = "credit_transfer" // 30
	PayDirectDebit    PaymentMethodType = "direct_debit"    // 49
	PayCreditCard     PaymentMethodType = "credit_card"     // 48
	PayPayPal         PaymentMethodType = "paypal"          // 1
	PayCash           PaymentMethodType = "cash"            // 10
	PayDanishFIK      PaymentMethodType = "danish_fik"      // 93
	PayGiro           PaymentMethodType = "giro"            // 50
	PayOther          PaymentMethodType = "other"           // 1
)

// PaymentMethod is one way to pay (BG-16).
type PaymentMethod struct {
	Type    PaymentMethodType `json:"type,omitzero" check:"required"`
	Code    string            `json:"code,omitzero"`    // BT-81, UNTDID 4461; wins over type
	Details string            `json:"details,omitzero"` // BT-82
	Account *PaymentAccount   `json:"account,omitzero"` // BG-17; without it the account of payee or seller
}

// PaymentAccount is the account of one payment method (BG-17): an IBAN or another account id.
type PaymentAccount struct {
	IBAN string `json:"iban,omitzero"` // BT-84
	ID   string `json:"id,omitzero"`   // BT-84 where it is no IBAN
	Name string `json:"name,omitzero"` // BT-85
	BIC  string `json:"bic,omitzero"`  // BT-86
}

// DirectDebit is a direct debit mandate (BG-19).
type DirectDebit struct {
	MandateID      string `json:"mandateId,omitzero" check:"required"` // BT-89
	CreditorID     string `json:"creditorId,omitzero"`                 // BT-90
	DebitAccountID string `json:"debitAccountId,omitzero"`             // BT-91
}

// CardAccount is a payment card (BG-18); PAN is masked and has at most ten digits.
type CardAccount struct {
	PAN        string `json:"pan,omitzero" check:"required"` // BT-87
	HolderName string `json:"holderName,omitzero"`           // BT-88
	NetworkID  string `json:"networkId,omitzero"`
}

// Prepayment is one payment behind prepaidAmount.
type Prepayment struct {
	Amount    decimal.Decimal      `json:"amount,omitzero" check:"required"`
	PaidAt    Date                 `json:"paidAt,omitzero"`
	Reference *PrepaymentReference `json:"reference,omitzero"`
}

// PrepaymentReference names the document of a prepayment.
type PrepaymentReference struct {
	DocumentNumber string `json:"documentNumber,omitzero" check:"required"`
	RegistryID     string `json:"registryId,omitzero"`
}

// Retention is a security retention: it lowers only what is paid now.
type Retention struct {
	Amount     decimal.Decimal `json:"amount,omitzero" check:"required"`
	Percent    decimal.Decimal `json:"percent,omitzero"`
	BaseAmount decimal.Decimal `json:"baseAmount,omitzero"`
	Reason     string          `json:"reason,omitzero"`
	DueDate    Date            `json:"dueDate,omitzero"`
}

// ThirdPartyPayment is a payment of a third party (BG-DEX-09).
type ThirdPartyPayment struct {
	Type        string          `json:"type,omitzero" check:"required"`        // BT-DEX-001
	PaidAmount  decimal.Decimal `json:"paidAmount,omitzero" check:"required"`  // BT-DEX-002
	Description string          `json:"description,omitzero" check:"required"` // BT-DEX-003
}

// ConstructionTax is the German withholding tax on construction work (§ 48 EStG).
type ConstructionTax struct {
	ExemptionCertificateNumber string          `json:"exemptionCertificateNumber,omitzero"`
	WithholdingPercent         decimal.Decimal `json:"withholdingPercent,omitzero"`
	RecipientTaxOffice         string          `json:"recipientTaxOffice,omitzero"`
}

// SupportingDocument references a document without embedding it (BG-24).
type SupportingDocument struct {
	ID          string `json:"id,omitzero" check:"required"` // BT-122
	Description string `json:"description,omitzero"`         // BT-123
	URI         string `json:"uri,omitzero"`                 // BT-124
	RegistryID  string `json:"registryId,omitzero"`
}

// Attachment is an embedded document (BG-24).
type Attachment struct {
	Filename    string `json:"filename,omitzero" check:"required"` // BT-125-2
	MimeType    string `json:"mimeType,omitzero" check:"required"` // BT-125-1
	Content     Base64 `json:"content,omitzero" check:"required"`  // BT-125
	Description string `json:"description,omitzero"`               // BT-123
	Reference   string `json:"reference,omitzero"`                 // BT-122
	URI         string `json:"uri,omitzero"`                       // BT-124
}
