package invoice

import "github.com/einvoiced/einvoiced/core/engine/decimal"

// Item is one invoice line (BG-25).
type Item struct {
	Position                 *int                  `json:"position,omitzero"`                              // BT-126 when it is an integer
	LineID                   string                `json:"lineId,omitzero"`                                // BT-126 when it is not; wins over position
	Description              string                `json:"description,omitzero" check:"required"`          // BT-153
	ItemDescription          string                `json:"itemDescription,omitzero"`                       // BT-154
	ArticleNumber            string                `json:"articleNumber,omitzero"`                         // BT-155
	BuyerItemID              string                `json:"buyerItemId,omitzero"`                           // BT-156
	GTIN                     string                `json:"gtin,omitzero"`                                  // BT-157, scheme 0160
	StandardItemID           *StandardItemID       `json:"standardItemId,omitzero"`                        // BT-157 with another scheme
	Classification           []Classification      `json:"classification,omitzero"`                        // BT-158
	OriginCountry            string                `json:"originCountry,omitzero"`                         // BT-159
	Attributes               []Attribute           `json:"attributes,omitzero"`                            // BG-32
	Note                     string                `json:"note,omitzero"`                                  // BT-127
	ObjectID                 string                `json:"objectId,omitzero"`                              // BT-128
	ObjectIDScheme           string                `json:"objectIdScheme,omitzero"`                        // BT-128-1
	OrderLineReference       string                `json:"orderLineReference,omitzero"`                    // BT-132
	BuyerAccountingReference string                `json:"buyerAccountingReference,omitzero"`              // BT-133
	ServicePeriod            *Period               `json:"servicePeriod,omitzero"`                         // BG-26
	Quantity                 decimal.Decimal       `json:"quantity,omitzero" check:"required"`             // BT-129
	Unit                     string                `json:"unit,omitzero" check:"required"`                 // BT-130, UN/ECE Rec 20 and 21
	UnitPrice                decimal.Decimal       `json:"unitPrice,omitzero" check:"required"`            // BT-146
	Discount                 *Discount             `json:"discount,omitzero"`                              // becomes one BG-27
	Allowances               []LineCharge          `json:"allowances,omitzero"`                            // BG-27
	Charges                  []LineCharge          `json:"charges,omitzero"`                               // BG-28
	GrossPrice               decimal.Decimal       `json:"grossPrice,omitzero"`                            // BT-148
	PriceDiscount            decimal.Decimal       `json:"priceDiscount,omitzero"`                         // BT-147
	PriceBaseQuantity        decimal.Decimal       `json:"priceBaseQuantity,omitzero"`                     // BT-149
	PriceBaseUnit            string                `json:"priceBaseUnit,omitzero"`                         // BT-150
	TaxRate                  decimal.Decimal       `json:"taxRate,omitzero"`                               // BT-152
	TaxCategoryCode          string                `json:"taxCategoryCode,omitzero"`                       // BT-151, UNTDID 5305
	TaxCategoryName          string                `json:"taxCategoryName,omitzero"`                       // HR-BT-12
	TaxExemptionReason       string                `json:"taxExemptionReason,omitzero"`                    // BT-120 of the line's tax group
	TaxExemptionReasonCode   string                `json:"taxExemptionReasonCode,omitzero"`                // BT-121 of the line's tax group
	NetAmount                decimal.Decimal       `json:"netAmount,omitzero" check:"required,calculable"` // BT-131
	TaxAmount                decimal.Decimal       `json:"taxAmount,omitzero" check:"required,calculable"`
	GrossAmount              decimal.Decimal       `json:"grossAmount,omitzero"`
	LineSubtype              LineSubtype           `json:"lineSubtype,omitzero"`          // BT-X-8
	ParentLineID             string                `json:"parentLineId,omitzero"`         // BT-X-304
	PerPackageQuantity       decimal.Decimal       `json:"perPackageQuantity,omitzero"`   // BT-X-561
	NatureCode               string                `json:"natureCode,omitzero"`           // FatturaPA Natura
	SupplyType               string                `json:"supplyType,omitzero"`           // FatturaPA TipoCessionePrestazione
	WithholdingFlag          *bool                 `json:"withholdingFlag,omitzero"`      // FatturaPA Ritenuta
	GTU                      string                `json:"gtu,omitzero"`                  // KSeF FA(3) GTU
	VATExemptionCategory     string                `json:"vatExemptionCategory,omitzero"` // myDATA vatExemptionCategory
	IncomeClassification     *IncomeClassification `json:"incomeClassification,omitzero"` // myDATA incomeClassification
	SubItems                 []Item                `json:"subItems,omitzero"`             // BG-DEX-01
}

// LineSubtype says how a line counts (BT-X-8 of Factur-X EXTENDED).
type LineSubtype string

// The line subtypes of the contract.
const (
	LineDetail      LineSubtype = "DETAIL"
	LineInformation LineSubtype = "INFORMATION"
	LineGroup       LineSubtype = "GROUP"
)

// StandardItemID is an item identifier with an ISO 6523 scheme (BT-157, BT-157-1).
type StandardItemID struct {
	ID       string `json:"id,omitzero" check:"required"`
	SchemeID string `json:"schemeId,omitzero" check:"required"`
}

// Classification is an item classification (BT-158) in a list of UNTDID 7143.
type Classification struct {
	ID            string `json:"id,omitzero" check:"required"`       // BT-158
	SchemeID      string `json:"schemeId,omitzero" check:"required"` // BT-158-1
	SchemeVersion string `json:"schemeVersion,omitzero"`             // BT-158-2
	NatureCode    string `json:"natureCode,omitzero"`                // BTAE-09: kind of the goods or services under reverse charge
}

// Attribute is a name and value that describes an item (BG-32).
type Attribute struct {
	Name  string `json:"name,omitzero" check:"required"`  // BT-160
	Value string `json:"value,omitzero" check:"required"` // BT-161
}

// DiscountType says whether a discount's value is a percentage or an amount.
type DiscountType string

// The discount types of the contract.
const (
	DiscountPercentage DiscountType = "percentage"
	DiscountAbsolute   DiscountType = "absolute"
)

// Discount is the short form of one line allowance.
type Discount struct {
	Type   DiscountType    `json:"type,omitzero" check:"required"`
	Value  decimal.Decimal `json:"value,omitzero" check:"required"`
	Reason string          `json:"reason,omitzero"`
}

// LineCharge is an allowance (BG-27) or a charge (BG-28) of a line.
type LineCharge struct {
	Amount     decimal.Decimal `json:"amount,omitzero" check:"required"` // BT-136, BT-141
	BaseAmount decimal.Decimal `json:"baseAmount,omitzero"`              // BT-137, BT-142
	Percentage decimal.Decimal `json:"percentage,omitzero"`              // BT-138, BT-143
	Reason     string          `json:"reason,omitzero"`                  // BT-139, BT-144
	ReasonCode string          `json:"reasonCode,omitzero"`              // BT-140 (UNTDID 5189), BT-145 (UNTDID 7161)
}

// IncomeClassification is a myDATA income classification of a line.
type IncomeClassification struct {
	Type     string `json:"type,omitzero"`
	Category string `json:"category,omitzero"`
}
