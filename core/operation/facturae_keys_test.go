package operation

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/testdata"
)

// spanishKeyCases has every key of the supplement §3 for Facturae, and what is derived without one, as a merge patch on an input, with the leaves
// of the document where it lands, or with ! before a leaf that is not there, and the code that it is warned with. Blanks in a text are _.
var spanishKeyCases = []struct{ in, patch, want, warned string }{
	{"goods", `{}`, "InvoiceSeriesCode=2026A InvoiceClass=OO InvoiceDocumentType=FC InvoiceIssuerType=EM Modality=I SchemaVersion=3.2.2 BatchIdentifier=B123456742026AFE-1", ""},
	{"goods", `{"seller":{"vatId":null},"countrySpecific":{"nif":"B12345674"}}`, "SellerParty/TaxIdentification/TaxIdentificationNumber=B12345674", ""},
	{"goods", `{"countrySpecific":{"invoiceSeries":"B7"}}`, "InvoiceSeriesCode=B7", ""},
	{"goods", `{}`, "SellerParty/TaxIdentification/PersonTypeCode=J SellerParty/TaxIdentification/ResidenceTypeCode=R", ""},
	{"withholding", `{}`, "SellerParty/TaxIdentification/PersonTypeCode=F Individual/Name=Lucía Individual/FirstSurname=Pérez Individual/SecondSurname=García", ""},
	{"export", `{"countrySpecific":{"countryCode":"ES","residenceType":"U"}}`, "SellerParty/TaxIdentification/ResidenceTypeCode=U BuyerParty/TaxIdentification/ResidenceTypeCode=E", ""},
	{"export", `{"seller":{"countryCode":"PT","postalCode":"1000-001","vatId":"PT123456789"},"countrySpecific":{"countryCode":"ES","personType":"F"}}`,
		"SellerParty/TaxIdentification/PersonTypeCode=F SellerParty/TaxIdentification/ResidenceTypeCode=U SellerParty/Individual/Name=Ejemplo OverseasAddress/PostCodeAndTown=1000-001_Madrid", ""},
	{"public-administration", `{}`, "CentreCode=L01280796 CentreCode=L01280797 CentreCode=L01280798 CentreCode=L01280799 RoleTypeCode=01 RoleTypeCode=02 RoleTypeCode=03 RoleTypeCode=04 " +
		"AdministrativeCentre/AddressInSpain/PostCode=28012", finding.UnsignedFacturae},
	{"credit-note", `{}`, "ReasonCode=83 ReasonDescription=Base_imponible_modificada_por_descuentos_y_bonificaciones CorrectionMethod=02 TaxPeriod/StartDate=2026-02-01 TaxPeriod/EndDate=2026-02-28 " +
		"Corrective/InvoiceNumber=FE-1 Corrective/InvoiceIssueDate=2026-02-05 InvoiceTotal=-302.50 Quantity=-1", ""},
	{"credit-note", `{"countrySpecific":{"correctionReasonCode":null}}`, "ReasonCode=16 ReasonDescription=Base_imponible", finding.ValueAssumed},
	{"correction", `{}`, "ReasonCode=11 CorrectionMethod=01 CorrectionMethodDescription=Rectificación_íntegra InvoiceTotal=30.25", ""},
	{"correction", `{"countrySpecific":{"correctionMethod":"04"}}`, "CorrectionMethod=04 CorrectionMethodDescription=Autorizadas_por_la_Agencia_Tributaria", ""},
	{"goods", `{"countrySpecific":{"correctionMethod":"04"}}`, "!CorrectionMethod=04", finding.FieldNotWritten},
	{"withholding", `{}`, "TaxesWithheld/Tax/TaxTypeCode=04 TaxesWithheld/Tax/TaxRate=15.00 TaxesWithheld/Tax/TaxableBase/TotalAmount=600.00 TaxesWithheld/Tax/TaxAmount/TotalAmount=90.00 " +
		"TotalTaxesWithheld=90.00 InvoiceTotal=636.00 InstallmentAmount=636.00", ""},
	{"foreign-currency", `{}`, "ExchangeRateDetails/ExchangeRate=0.9125 ExchangeRateDetails/ExchangeRateDate=2026-03-05 TaxCurrencyCode=EUR TaxAmount/EquivalentInEuros=191.63", ""},
	{"full", `{}`, "PlaceOfIssue/PostCode=28013 PlaceOfIssueDescription=Madrid CnoCnae=47911 InvoiceIssuerType=TE ThirdParty/LegalEntity/CorporateName=Gestoría_Muestra_SL " +
		"PaymentOnAccountAmount=200.00 TotalPaymentsOnAccount=300.00 AttachmentFormat=pdf AttachmentFormat=html RelatedInvoice=FE-0", ""},
	{"self-billed", `{}`, "InvoiceDocumentType=AF InvoiceIssuerType=RE", ""},
	{"retention", `{}`, "WithholdingRate=5.00 WithholdingAmount=500.00 TotalOutstandingAmount=12100.00 TotalExecutableAmount=11600.00 InstallmentAmount=11600.00", ""},
	{"reverse-charge", `{}`, "LegalReference=Inversión_del_sujeto_pasivo,_art._84.Uno.2º_f)_LIVA !SpecialTaxableEventCode=01", ""},
	{"exempt", `{}`, "SpecialTaxableEventCode=01 SpecialTaxableEventReason=Exento,_art._20.Uno.9º_de_la_Ley_37/1992", ""},
	{"not-subject", `{}`, "SpecialTaxableEventCode=02 TaxRate=0.00", ""},
	{"canary-islands", `{}`, "TaxTypeCode=03 TaxRate=7.00", ""},
	{"version-3.2", `{}`, "SchemaVersion=3.2 UnitPriceWithoutTax=250.123457 InvoiceLine/ReceiverTransactionReference=PO-7 InvoiceLine/FileReference=EXP-3 UnitOfMeasure=05 DiscountRate=4.0000", finding.DecimalsReduced},
	{"goods", `{"paymentMethods":[{"type":"cash"}]}`, "PaymentMeans=01", ""},
	{"goods", `{"paymentMethods":[{"type":"other","details":"11"}]}`, "PaymentMeans=11", ""},
	{"goods", `{"paymentMethods":[{"type":"other","code":"ZZZ"}]}`, "PaymentMeans=13", finding.ValueAssumed},
	{"goods", `{"dueDate":null}`, "InstallmentDueDate=2026-03-05", finding.ValueAssumed},
	{"goods", `{"supportingDocuments":[{"id":"D-1"}]}`, "InvoiceNumber=FE-1", finding.FieldNotWritten},
	{"factoring", `{}`, "Assignee/TaxIdentification/PersonTypeCode=J Assignee/TaxIdentification/ResidenceTypeCode=R Assignee/TaxIdentification/TaxIdentificationNumber=A12345674 " +
		"Assignee/LegalEntity/CorporateName=Factoring_Muestra_EFC_SA Assignee/LegalEntity/RegistrationData/AdditionalRegistrationData=M-654321 " +
		"Assignee/LegalEntity/AddressInSpain/Province=Madrid Assignee/LegalEntity/ContactDetails/ElectronicMail=cesiones@factoring.example " +
		"FactoringAssignmentData/PaymentDetails/Installment/InstallmentAmount=1210.00 FactoringAssignmentData/PaymentDetails/Installment/PaymentMeans=04 " +
		"FactoringAssignmentData/PaymentDetails/Installment/InstallmentDueDate=2026-04-04 Invoice/PaymentDetails/Installment/AccountToBeCredited/IBAN=ES7921000813610123456789 " +
		"FactoringAssignmentData/PaymentDetails/Installment/AccountToBeCredited/IBAN=ES7921000813610123456789 AccountToBeCredited/BIC=CAIXESBBXXX", ""},
	{"factoring", `{"countrySpecific":{"national":null}}`, "FactoringAssignmentData/FactoringAssignmentClauses=Crédito_cedido:_el_pago_debe_hacerse_al_cesionario.", finding.ValueAssumed},
	{"factoring", `{"payee":{"vatId":null,"taxId":"12345678Z","name":"Ana Pérez García"}}`, "Assignee/TaxIdentification/PersonTypeCode=F Assignee/Individual/FirstSurname=Pérez " +
		"Assignee/TaxIdentification/TaxIdentificationNumber=12345678Z", ""},
	{"factoring", `{"payee":{"vatId":"PT123456789","countryCode":"PT","postalCode":"1000-001","city":"Lisboa"}}`, "Assignee/TaxIdentification/ResidenceTypeCode=U " +
		"Assignee/LegalEntity/OverseasAddress/PostCodeAndTown=1000-001_Lisboa", ""},
	{"factoring", `{"paymentMethods":null}`, "FactoringAssignmentData/PaymentDetails/Installment/PaymentMeans=04 Invoice/PaymentDetails/Installment/PaymentMeans=04", finding.ValueAssumed},
	{"factoring", `{"payee":{"identifiers":[{"id":"4712"}]}}`, "Assignee/LegalEntity/CorporateName=Factoring_Muestra_EFC_SA", finding.FieldNotWritten},
}

// TestGenerate_SpanishKeys ensures where each key lands, and that a default which changes tax or routing is told.
func TestGenerate_SpanishKeys(t *testing.T) {
	s := fullService(t)
	for _, c := range spanishKeyCases {
		t.Run(c.in+"/"+c.patch, func(t *testing.T) {
			body, err := testdata.Patched(facturaeFile(t, c.in+".json"), []byte(`{"invoice":`+c.patch+`}`))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: "ES", Format: "facturae", Body: body})
			if err != nil {
				t.Fatalf("%v%s", err, entriesOf(err))
			}
			leaves := italianLeaves(t, answer.Data)
			for text := range strings.FieldsSeq(c.want) {
				want, absent := strings.CutPrefix(strings.ReplaceAll(text, "_", " "), "!")
				if there := slices.ContainsFunc(leaves, func(leaf string) bool { return strings.HasSuffix(leaf, "/"+want) }); there == absent {
					t.Errorf("%s: there %t\n%s", want, there, strings.Join(leaves, "\n"))
				}
			}
			if c.warned != "" && !slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == c.warned }) {
				t.Errorf("warned with %+v", answer.Warnings)
			}
		})
	}
}

// TestGenerate_FacturaeRefuses ensures what cannot be written, with the member that is to blame.
func TestGenerate_FacturaeRefuses(t *testing.T) {
	s := fullService(t)
	for _, c := range []struct{ in, patch, code, field string }{
		{"goods", `{"invoiceNumber":"A-NUMBER-WITH-MANY-CHARACTERS"}`, finding.InvalidValue, "invoiceNumber"},
		{"goods", `{"buyer":{"vatId":null}}`, finding.MissingField, "buyer.vatId"},
		{"goods", `{"buyer":{"postalCode":"0801"}}`, finding.InvalidValue, "buyer.postalCode"},
		{"goods", `{"seller":{"street":null}}`, finding.MissingField, "seller.street"},
		{"export", `{"buyer":{"countryCode":"SS"}}`, finding.InvalidValue, "buyer.countryCode"},
		{"goods", `{"currency":"AED"}`, finding.InvalidValue, "currency"},
		{"goods", `{"servicePeriod":{"end":null}}`, finding.BothDatesRequired, "servicePeriod"},
		{"goods", `{"type":"proforma"}`, finding.TypeNotPermitted, "type"},
		{"goods", `{"total":1300}`, "BR-CO-15", "total"},
		{"goods", `{"subtotal":1000,"total":1223.36}`, "BR-CO-13", "subtotal"},
		{"credit-note", `{"referencedInvoiceNumber":null,"referencedInvoiceDate":null}`, finding.MissingField, "referencedInvoiceNumber"},
		{"credit-note", `{"countrySpecific":{"correctionReasonCode":"17"}}`, finding.InvalidValue, "countrySpecific.correctionReasonCode"},
		{"credit-note", `{"countrySpecific":{"correctionMethod":"05"}}`, finding.InvalidValue, "countrySpecific.correctionMethod"},
		{"goods", `{"countrySpecific":{"personType":"X"}}`, finding.InvalidValue, "countrySpecific.personType"},
		{"goods", `{"countrySpecific":{"residenceType":"X"}}`, finding.InvalidValue, "countrySpecific.residenceType"},
		{"public-administration", `{"countrySpecific":{"dir3":{"managingBody":null}}}`, "FACTURAE_DIR3", "countrySpecific.dir3"},
	} {
		body, err := testdata.Patched(facturaeFile(t, c.in+".json"), []byte(`{"invoice":`+c.patch+`}`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Generate(t.Context(), GenerateRequest{Country: "ES", Format: "facturae", Body: body})
		var refusal *finding.Refusal
		if !errors.As(err, &refusal) || len(refusal.Errors) == 0 || refusal.Errors[0].Code != c.code || refusal.Errors[0].Field != c.field {
			t.Errorf("%s %s: %v %s", c.in, c.patch, err, entriesOf(err))
		}
	}
}
