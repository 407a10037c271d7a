package ubl

// order is the sequence of the child elements that the table uses, as UBL 2.1 fixes it (OASIS UBL-Invoice-2.1, UBL-CreditNote-2.1,
// UBL-CommonAggregateComponents-2.1).
var order = map[string]string{
	"Invoice": "cbc:CustomizationID cbc:ProfileID cbc:ID cbc:IssueDate cbc:DueDate cbc:InvoiceTypeCode cbc:Note cbc:TaxPointDate " +
		"cbc:DocumentCurrencyCode cbc:TaxCurrencyCode cbc:AccountingCost cbc:BuyerReference cac:InvoicePeriod " +
		"cac:OrderReference cac:BillingReference cac:DespatchDocumentReference cac:ReceiptDocumentReference " +
		"cac:OriginatorDocumentReference cac:ContractDocumentReference cac:AdditionalDocumentReference cac:ProjectReference " +
		"cac:AccountingSupplierParty cac:AccountingCustomerParty cac:PayeeParty cac:TaxRepresentativeParty cac:Delivery " +
		"cac:PaymentMeans cac:PaymentTerms cac:PrepaidPayment cac:AllowanceCharge cac:TaxTotal cac:LegalMonetaryTotal cac:InvoiceLine",
	"CreditNote": "cbc:CustomizationID cbc:ProfileID cbc:ID cbc:IssueDate cbc:TaxPointDate cbc:CreditNoteTypeCode cbc:Note " +
		"cbc:DocumentCurrencyCode cbc:TaxCurrencyCode cbc:AccountingCost cbc:BuyerReference cac:InvoicePeriod " +
		"cac:OrderReference cac:BillingReference cac:DespatchDocumentReference cac:ReceiptDocumentReference " +
		"cac:ContractDocumentReference cac:AdditionalDocumentReference cac:OriginatorDocumentReference " +
		"cac:AccountingSupplierParty cac:AccountingCustomerParty cac:PayeeParty cac:TaxRepresentativeParty cac:Delivery " +
		"cac:PaymentMeans cac:PaymentTerms cac:AllowanceCharge cac:TaxTotal cac:LegalMonetaryTotal cac:CreditNoteLine",
	"InvoiceLine": "cbc:ID cbc:Note cbc:InvoicedQuantity cbc:LineExtensionAmount cbc:TaxPointDate cbc:AccountingCost cac:InvoicePeriod " +
		"cac:OrderLineReference cac:BillingReference cac:DocumentReference cac:Delivery cac:PaymentTerms cac:AllowanceCharge " +
		"cac:TaxTotal cac:Item cac:Price cac:SubInvoiceLine",
	"CreditNoteLine": "cbc:ID cbc:Note cbc:CreditedQuantity cbc:LineExtensionAmount cbc:TaxPointDate cbc:AccountingCost cac:InvoicePeriod " +
		"cac:OrderLineReference cac:BillingReference cac:DocumentReference cac:Delivery cac:PaymentTerms cac:TaxTotal " +
		"cac:AllowanceCharge cac:Item cac:Price",
	"Party": "cbc:EndpointID cac:PartyIdentification cac:PartyName cac:PostalAddress cac:PartyTaxScheme cac:PartyLegalEntity " +
		"cac:Contact",
	"PayeeParty": "cbc:EndpointID cac:PartyIdentification cac:PartyName cac:PostalAddress cac:PartyTaxScheme cac:PartyLegalEntity " +
		"cac:Contact",
	"TaxRepresentativeParty": "cbc:EndpointID cac:PartyIdentification cac:PartyName cac:PostalAddress cac:PartyTaxScheme cac:PartyLegalEntity " +
		"cac:Contact",
	"DeliveryParty": "cbc:EndpointID cac:PartyIdentification cac:PartyName cac:PostalAddress cac:PartyTaxScheme cac:PartyLegalEntity " +
		"cac:Contact",
	"PostalAddress": "cbc:ID cbc:StreetName cbc:AdditionalStreetName cbc:CityName cbc:PostalZone cbc:CountrySubentity cac:AddressLine " +
		"cac:Country",
	"Address": "cbc:ID cbc:StreetName cbc:AdditionalStreetName cbc:CityName cbc:PostalZone cbc:CountrySubentity cac:AddressLine " +
		"cac:Country",
	"Contact":          "cbc:ID cbc:Name cbc:Telephone cbc:ElectronicMail cbc:Note",
	"PartyTaxScheme":   "cbc:RegistrationName cbc:CompanyID cac:TaxScheme",
	"PartyLegalEntity": "cbc:RegistrationName cbc:CompanyID cbc:CompanyLegalForm",
	"PaymentMeans": "cbc:ID cbc:PaymentMeansCode cbc:PaymentDueDate cbc:PaymentID cac:CardAccount cac:PayerFinancialAccount " +
		"cac:PayeeFinancialAccount cac:PaymentMandate",
	"TaxTotal":              "cbc:TaxAmount cac:TaxSubtotal",
	"TaxSubtotal":           "cbc:TaxableAmount cbc:TaxAmount cbc:Percent cac:TaxCategory",
	"TaxCategory":           "cbc:ID cbc:Name cbc:Percent cbc:TaxExemptionReasonCode cbc:TaxExemptionReason cac:TaxScheme",
	"ClassifiedTaxCategory": "cbc:ID cbc:Name cbc:Percent cbc:TaxExemptionReasonCode cbc:TaxExemptionReason cac:TaxScheme",
	"AllowanceCharge": "cbc:ID cbc:ChargeIndicator cbc:AllowanceChargeReasonCode cbc:AllowanceChargeReason cbc:MultiplierFactorNumeric " +
		"cbc:Amount cbc:BaseAmount cbc:AccountingCost cac:TaxCategory cac:TaxTotal cac:PaymentMeans",
	"LegalMonetaryTotal": "cbc:LineExtensionAmount cbc:TaxExclusiveAmount cbc:TaxInclusiveAmount cbc:AllowanceTotalAmount cbc:ChargeTotalAmount " +
		"cbc:PrepaidAmount cbc:PayableRoundingAmount cbc:PayableAmount",
	"Item": "cbc:Description cbc:Name cac:BuyersItemIdentification cac:SellersItemIdentification cac:StandardItemIdentification " +
		"cac:OriginCountry cac:CommodityClassification cac:ClassifiedTaxCategory cac:AdditionalItemProperty",
	"Price":                       "cbc:PriceAmount cbc:BaseQuantity cac:AllowanceCharge",
	"Delivery":                    "cbc:ID cbc:ActualDeliveryDate cac:DeliveryLocation cac:DeliveryParty",
	"DeliveryLocation":            "cbc:ID cbc:Description cbc:CountrySubentity cbc:Name cac:Address",
	"PayeeFinancialAccount":       "cbc:ID cbc:Name cac:FinancialInstitutionBranch cac:Country",
	"CardAccount":                 "cbc:PrimaryAccountNumberID cbc:NetworkID cbc:HolderName",
	"PrepaidPayment":              "cbc:ID cbc:PaidAmount cbc:InstructionID",
	"PaymentMandate":              "cbc:ID cac:PayerFinancialAccount",
	"OrderReference":              "cbc:ID cbc:SalesOrderID cbc:IssueDate cac:DocumentReference",
	"InvoiceDocumentReference":    "cbc:ID cbc:IssueDate cbc:DocumentTypeCode cbc:DocumentDescription cac:Attachment",
	"AdditionalDocumentReference": "cbc:ID cbc:IssueDate cbc:DocumentTypeCode cbc:DocumentDescription cac:Attachment",
	"DocumentReference":           "cbc:ID cbc:IssueDate cbc:DocumentTypeCode cbc:DocumentDescription cac:Attachment",
	"Attachment":                  "cbc:EmbeddedDocumentBinaryObject cac:ExternalReference",
	"InvoicePeriod":               "cbc:StartDate cbc:EndDate cbc:DescriptionCode cbc:Description",
	"AdditionalItemProperty":      "cbc:ID cbc:Name cbc:Value",
}
