package mydata

import (
	"maps"
	"strings"

	m "github.com/einvoiced/einvoiced/core/mapping"
)

// order gives the children of elements, as the schema of 2.0.1 has them; otherTransportDetails is of 1.0.x.
var order = map[string]string{
	"InvoicesDoc": "invoice",
	"invoice": "uid mark cancelledByMark authenticationCode transmissionFailure issuer counterpart invoiceHeader paymentMethods invoiceDetails taxesTotals invoiceSummary qrCodeUrl " +
		"downloadingInvoiceUrl otherTransportDetails packingsDeclarations invoiceDeliveryStatus deliveryLifecycle",
	"issuer":      party,
	"counterpart": party,
	"entityData":  party,
	"address":     address,
	"invoiceHeader": "series aa issueDate invoiceType vatPaymentSuspension currency exchangeRate correlatedInvoices selfPricing dispatchDate dispatchTime vehicleNumber movePurpose " +
		"fuelInvoice specialInvoiceCategory invoiceVariationType otherCorrelatedEntities otherDeliveryNoteHeader isDeliveryNote otherMovePurposeTitle thirdPartyCollection " +
		"multipleConnectedMarks tableAA totalCancelDeliveryOrders reverseDeliveryNote reverseDeliveryNotePurpose toWeigh",
	"otherCorrelatedEntities": "type entityData",
	"otherDeliveryNoteHeader": "loadingAddress deliveryAddress startShippingBranch completeShippingBranch",
	"loadingAddress":          address,
	"deliveryAddress":         address,
	"paymentMethods":          "paymentMethodDetails",
	"paymentMethodDetails":    "type amount paymentMethodInfo tipAmount transactionId tid ProvidersSignature ECRToken",
	"ProvidersSignature":      "SigningAuthor Signature EndToEndReferenceID",
	"ECRToken":                "SigningAuthor SessionNumber",
	"invoiceDetails": "lineNumber recType TaricNo itemCode itemDescr fuelCode quantity measurementUnit invoiceDetailType netValue vatCategory vatAmount vatExemptionCategory dienergia " +
		"discountOption withheldAmount withheldPercentCategory stampDutyAmount stampDutyPercentCategory feesAmount feesPercentCategory otherTaxesPercentCategory otherTaxesAmount " +
		"deductionsAmount lineComments incomeClassification expensesClassification quantity15 otherMeasurementUnitQuantity otherMeasurementUnitTitle notVAT195 movePurposeLine " +
		"otherMovePurposeLineTitle",
	"dienergia":              "applicationId applicationDate doy shipId",
	"incomeClassification":   "icls:classificationType icls:classificationCategory icls:amount icls:id",
	"expensesClassification": "ecls:classificationType ecls:classificationCategory ecls:amount ecls:vatAmount ecls:vatCategory ecls:vatExemptionCategory ecls:id",
	"taxesTotals":            "taxes",
	"taxes":                  "taxType taxCategory underlyingValue taxAmount id",
	"invoiceSummary": "totalNetValue totalVatAmount totalWithheldAmount totalFeesAmount totalStampDutyAmount totalOtherTaxesAmount totalDeductionsAmount totalGrossValue " +
		"incomeClassification expensesClassification",
	"otherTransportDetails": "vehicleNumber",
	"packingsDeclarations":  "Packages",
	"Packages":              packages,
	"deliveryLifecycle":     "deliveryEvents",
	"deliveryEvents":        "eventType eventTimestamp actorVat mark transportDetails outcomeDetails rejectionDetails",
	"transportDetails":      "vehicleNumber transportType timeStamp carrierVatNumber pNumber location",
	"location":              "longitude latitude",
	"outcomeDetails":        "outcome deliveredWithoutRecipient deliveredPackaging",
	"deliveredPackaging":    packages,
	"rejectionDetails":      "reason",
}

const (
	party    = "vatNumber country branch name address documentIdNo supplyAccountNo countryDocumentId"
	address  = "street number postalCode city"
	packages = "packagingType quantity otherPackagingTypeTitle"
)

// newIn2 are the elements that 2.0.1 has and 1.0.10 lacks, of which the rest is in none of the two.
var newIn2 = map[string]string{
	"invoice":            " downloadingInvoiceUrl packingsDeclarations invoiceDeliveryStatus deliveryLifecycle",
	"invoiceHeader":      " reverseDeliveryNote reverseDeliveryNotePurpose toWeigh",
	"invoiceDetails":     " movePurposeLine otherMovePurposeLineTitle",
	"ProvidersSignature": " EndToEndReferenceID",
}

// The versions that are written: 2.0.1, and what of it 1.0.10 has as well.
const (
	Version2 = "2.0.1"
	Version1 = "1.0.10"
)

var prefixes = map[string]string{"icls": incomeNamespace, "ecls": expensesNamespace}

// nationals is what the invoice holds in countrySpecific.national: all that no row takes.
var nationals = m.Nationals{Order: order, Namespaces: prefixes}

// nationalsOf is what national writes in a version.
var nationalsOf = map[string]m.Nationals{
	Version2: {Order: without(map[string]string{"invoice": " otherTransportDetails"}), Namespaces: prefixes},
	Version1: {Order: without(newIn2), Namespaces: prefixes},
}

// without is the order without some elements.
func without(left map[string]string) map[string]string {
	less := maps.Clone(order)
	for parent, names := range left {
		for name := range strings.FieldsSeq(names) {
			less[parent] = strings.TrimSpace(strings.Replace(" "+less[parent]+" ", " "+name+" ", " ", 1))
		}
	}
	return less
}
