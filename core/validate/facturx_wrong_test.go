package validate

// wrongParts breaks the rules on parties, references, dates and payment.
const wrongParts = `<CrossIndustryInvoice><ExchangedDocument><TypeCode>380</TypeCode><IncludedNote><SubjectCode>AAA</SubjectCode></IncludedNote></ExchangedDocument><SupplyChainTradeTransaction>
<ApplicableHeaderTradeAgreement>
<SellerTradeParty><DefinedTradeContact><PersonName>A</PersonName><DepartmentName>B</DepartmentName></DefinedTradeContact><PostalTradeAddress><CountryID>DE</CountryID></PostalTradeAddress><URIUniversalCommunication/></SellerTradeParty>
<BuyerTradeParty><DefinedTradeContact><PersonName>A</PersonName><DepartmentName>B</DepartmentName></DefinedTradeContact><PostalTradeAddress><CountryID>DE</CountryID></PostalTradeAddress><URIUniversalCommunication/>
<SpecifiedTaxRegistration><ID schemeID="VA">QQ1</ID></SpecifiedTaxRegistration><SpecifiedTaxRegistration><ID schemeID="FC">1</ID></SpecifiedTaxRegistration></BuyerTradeParty>
<SellerTaxRepresentativeTradeParty></SellerTaxRepresentativeTradeParty>
<AdditionalReferencedDocument><TypeCode>916</TypeCode><Name>A</Name><AttachmentBinaryObject>A</AttachmentBinaryObject></AdditionalReferencedDocument>
<AdditionalReferencedDocument><TypeCode>916</TypeCode><Name>B</Name><AttachmentBinaryObject>B</AttachmentBinaryObject></AdditionalReferencedDocument>
</ApplicableHeaderTradeAgreement>
<ApplicableHeaderTradeDelivery><ShipToTradeParty><PostalTradeAddress></PostalTradeAddress></ShipToTradeParty></ApplicableHeaderTradeDelivery>
<ApplicableHeaderTradeSettlement><PaymentReference>A</PaymentReference><PaymentReference>B</PaymentReference><PayeeTradeParty></PayeeTradeParty>
<SpecifiedTradeSettlementPaymentMeans><Information>A</Information></SpecifiedTradeSettlementPaymentMeans>
<SpecifiedTradeSettlementPaymentMeans><TypeCode>30</TypeCode><Information>B</Information><ApplicableTradeSettlementFinancialCard><ID>123456789012</ID></ApplicableTradeSettlementFinancialCard><PayeePartyCreditorFinancialAccount></PayeePartyCreditorFinancialAccount></SpecifiedTradeSettlementPaymentMeans>
<SpecifiedTradeSettlementPaymentMeans><TypeCode>58</TypeCode></SpecifiedTradeSettlementPaymentMeans>
<BillingSpecifiedPeriod><StartDateTime><DateTimeString format="102">20260902</DateTimeString></StartDateTime><EndDateTime><DateTimeString format="102">20260901</DateTimeString></EndDateTime></BillingSpecifiedPeriod>
<BillingSpecifiedPeriod></BillingSpecifiedPeriod><BillingSpecifiedPeriod><StartDateTime><DateTimeString format="102">1.9.2026</DateTimeString><DateTimeString format="205">20260901</DateTimeString></StartDateTime></BillingSpecifiedPeriod>
<SpecifiedTradeSettlementHeaderMonetarySummation><DuePayableAmount>1</DuePayableAmount></SpecifiedTradeSettlementHeaderMonetarySummation>
<InvoiceReferencedDocument></InvoiceReferencedDocument>
</ApplicableHeaderTradeSettlement></SupplyChainTradeTransaction></CrossIndustryInvoice>`

// wrongTotals breaks the rules on totals, and on allowances and charges of the document.
const wrongTotals = `<CrossIndustryInvoice><SupplyChainTradeTransaction><ApplicableHeaderTradeSettlement><TaxCurrencyCode>USD</TaxCurrencyCode><InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>
<ApplicableTradeTax></ApplicableTradeTax>
<ApplicableTradeTax><CalculatedAmount>77.123</CalculatedAmount><TypeCode>VAT</TypeCode><BasisAmount>500.123</BasisAmount><TaxPointDate>A</TaxPointDate><DueDateTypeCode>5</DueDateTypeCode><RateApplicablePercent>10</RateApplicablePercent></ApplicableTradeTax>
<SpecifiedTradeAllowanceCharge><CategoryTradeTax/><CategoryTradeTax/><RateApplicablePercent>1</RateApplicablePercent><RateApplicablePercent>1</RateApplicablePercent><ActualAmount>1</ActualAmount><ActualAmount>1</ActualAmount></SpecifiedTradeAllowanceCharge>
<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>false</Indicator></ChargeIndicator></SpecifiedTradeAllowanceCharge>
<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>true</Indicator></ChargeIndicator></SpecifiedTradeAllowanceCharge>
<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>false</Indicator></ChargeIndicator><BasisAmount>1.234</BasisAmount><ActualAmount>1.234</ActualAmount></SpecifiedTradeAllowanceCharge>
<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>true</Indicator></ChargeIndicator><BasisAmount>1.234</BasisAmount><ActualAmount>1.234</ActualAmount></SpecifiedTradeAllowanceCharge>
<SpecifiedTradeSettlementHeaderMonetarySummation></SpecifiedTradeSettlementHeaderMonetarySummation>
</ApplicableHeaderTradeSettlement>
<ApplicableHeaderTradeSettlement><InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>
<SpecifiedTradeSettlementHeaderMonetarySummation><LineTotalAmount>1001.234</LineTotalAmount><ChargeTotalAmount>2001.234</ChargeTotalAmount><AllowanceTotalAmount>3001.234</AllowanceTotalAmount>
<TaxBasisTotalAmount>4001.234</TaxBasisTotalAmount><TaxTotalAmount currencyID="EUR">5001.234</TaxTotalAmount><RoundingAmount>6001.234</RoundingAmount><GrandTotalAmount>7001.234</GrandTotalAmount><TotalPrepaidAmount>8001.234</TotalPrepaidAmount><DuePayableAmount>9001.234</DuePayableAmount>
</SpecifiedTradeSettlementHeaderMonetarySummation></ApplicableHeaderTradeSettlement></SupplyChainTradeTransaction></CrossIndustryInvoice>`

// wrongLines breaks the rules on lines, and on what stands in them.
const wrongLines = `<CrossIndustryInvoice><SupplyChainTradeTransaction>
<IncludedSupplyChainTradeLineItem><AssociatedDocumentLineDocument></AssociatedDocumentLineDocument></IncludedSupplyChainTradeLineItem>
<IncludedSupplyChainTradeLineItem><AssociatedDocumentLineDocument><LineID>1</LineID><ParentLineID>9</ParentLineID><IncludedNote><SubjectCode>AAA</SubjectCode></IncludedNote></AssociatedDocumentLineDocument>
<SpecifiedTradeProduct><GlobalID>1</GlobalID><ApplicableProductCharacteristic><TypeCode>A B</TypeCode></ApplicableProductCharacteristic><ApplicableProductCharacteristic></ApplicableProductCharacteristic><DesignatedProductClassification><ClassCode>1</ClassCode></DesignatedProductClassification></SpecifiedTradeProduct>
<SpecifiedLineTradeAgreement><GrossPriceProductTradePrice><ChargeAmount>-1</ChargeAmount></GrossPriceProductTradePrice><NetPriceProductTradePrice><ChargeAmount>-1</ChargeAmount></NetPriceProductTradePrice></SpecifiedLineTradeAgreement>
<SpecifiedLineTradeSettlement>
<BillingSpecifiedPeriod><StartDateTime><DateTimeString format="102">20260902</DateTimeString></StartDateTime><EndDateTime><DateTimeString format="102">20260901</DateTimeString></EndDateTime></BillingSpecifiedPeriod><BillingSpecifiedPeriod></BillingSpecifiedPeriod>
<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>false</Indicator></ChargeIndicator></SpecifiedTradeAllowanceCharge>
<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>true</Indicator></ChargeIndicator></SpecifiedTradeAllowanceCharge>
<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>false</Indicator></ChargeIndicator><BasisAmount>1.234</BasisAmount><ActualAmount>1.234</ActualAmount></SpecifiedTradeAllowanceCharge>
<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>true</Indicator></ChargeIndicator><BasisAmount>1.234</BasisAmount><ActualAmount>1.234</ActualAmount></SpecifiedTradeAllowanceCharge>
<SpecifiedTradeSettlementLineMonetarySummation><LineTotalAmount>1.234</LineTotalAmount></SpecifiedTradeSettlementLineMonetarySummation>
<AdditionalReferencedDocument><TypeCode>130</TypeCode></AdditionalReferencedDocument><AdditionalReferencedDocument><TypeCode>130</TypeCode></AdditionalReferencedDocument>
</SpecifiedLineTradeSettlement></IncludedSupplyChainTradeLineItem>
<IncludedSupplyChainTradeLineItem><AssociatedDocumentLineDocument><LineID>2</LineID><LineStatusReasonCode>GROUP</LineStatusReasonCode></AssociatedDocumentLineDocument>
<SpecifiedLineTradeSettlement><SpecifiedTradeSettlementLineMonetarySummation><LineTotalAmount>5</LineTotalAmount></SpecifiedTradeSettlementLineMonetarySummation></SpecifiedLineTradeSettlement></IncludedSupplyChainTradeLineItem>
<IncludedSupplyChainTradeLineItem><AssociatedDocumentLineDocument><LineID>3</LineID><ParentLineID>2</ParentLineID><LineStatusReasonCode>GROUP</LineStatusReasonCode></AssociatedDocumentLineDocument></IncludedSupplyChainTradeLineItem>
</SupplyChainTradeTransaction></CrossIndustryInvoice>`

// wrongCategory has a VAT category in a line, an allowance and a charge, with a negative rate, without a breakdown and without the
// identifiers that it needs.
const wrongCategory = `<CrossIndustryInvoice><SupplyChainTradeTransaction><IncludedSupplyChainTradeLineItem><SpecifiedLineTradeSettlement>
<ApplicableTradeTax><TypeCode>VAT</TypeCode><CategoryCode>{C}</CategoryCode><RateApplicablePercent>-1</RateApplicablePercent></ApplicableTradeTax></SpecifiedLineTradeSettlement></IncludedSupplyChainTradeLineItem>
<ApplicableHeaderTradeAgreement><SellerTradeParty><PostalTradeAddress><CountryID>DE</CountryID></PostalTradeAddress></SellerTradeParty></ApplicableHeaderTradeAgreement>
<ApplicableHeaderTradeSettlement>` + wrongAllowances + `</ApplicableHeaderTradeSettlement></SupplyChainTradeTransaction></CrossIndustryInvoice>`

const wrongAllowances = `<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>false</Indicator></ChargeIndicator><ActualAmount>1</ActualAmount><CategoryTradeTax><TypeCode>VAT</TypeCode><CategoryCode>{C}</CategoryCode><RateApplicablePercent>-1</RateApplicablePercent></CategoryTradeTax></SpecifiedTradeAllowanceCharge>
<SpecifiedTradeAllowanceCharge><ChargeIndicator><Indicator>true</Indicator></ChargeIndicator><ActualAmount>1</ActualAmount><CategoryTradeTax><TypeCode>VAT</TypeCode><CategoryCode>{C}</CategoryCode><RateApplicablePercent>-1</RateApplicablePercent></CategoryTradeTax></SpecifiedTradeAllowanceCharge>`

// wrongBreakdown has amounts that do not add up, and no reason.
const wrongBreakdown = `<CrossIndustryInvoice><SupplyChainTradeTransaction><IncludedSupplyChainTradeLineItem><SpecifiedLineTradeSettlement>
<ApplicableTradeTax><TypeCode>VAT</TypeCode><CategoryCode>{C}</CategoryCode><RateApplicablePercent>10</RateApplicablePercent></ApplicableTradeTax>
<SpecifiedTradeSettlementLineMonetarySummation><LineTotalAmount>1</LineTotalAmount></SpecifiedTradeSettlementLineMonetarySummation></SpecifiedLineTradeSettlement></IncludedSupplyChainTradeLineItem>
<ApplicableHeaderTradeSettlement><ApplicableTradeTax><CalculatedAmount>77.12</CalculatedAmount><TypeCode>VAT</TypeCode><BasisAmount>500.12</BasisAmount><CategoryCode>{C}</CategoryCode><RateApplicablePercent>10</RateApplicablePercent></ApplicableTradeTax>
</ApplicableHeaderTradeSettlement></SupplyChainTradeTransaction></CrossIndustryInvoice>`

// wrongReason has identifiers and reasons where they must not be.
const wrongReason = `<CrossIndustryInvoice><SupplyChainTradeTransaction><IncludedSupplyChainTradeLineItem><SpecifiedLineTradeSettlement><ApplicableTradeTax><TypeCode>VAT</TypeCode><CategoryCode>{C}</CategoryCode></ApplicableTradeTax></SpecifiedLineTradeSettlement></IncludedSupplyChainTradeLineItem>
<ApplicableHeaderTradeAgreement><SellerTradeParty><SpecifiedTaxRegistration><ID schemeID="VA">DE1</ID></SpecifiedTaxRegistration></SellerTradeParty></ApplicableHeaderTradeAgreement>
<ApplicableHeaderTradeSettlement><ApplicableTradeTax><TypeCode>VAT</TypeCode><ExemptionReason>A</ExemptionReason><CategoryCode>{C}</CategoryCode></ApplicableTradeTax>` + wrongAllowances + `</ApplicableHeaderTradeSettlement></SupplyChainTradeTransaction></CrossIndustryInvoice>`

// lonelyCategory is a breakdown beside others.
const lonelyCategory = `<CrossIndustryInvoice><SupplyChainTradeTransaction>
<ApplicableHeaderTradeSettlement><ApplicableTradeTax><CategoryCode>{C}</CategoryCode></ApplicableTradeTax><ApplicableTradeTax><CategoryCode>X</CategoryCode></ApplicableTradeTax>
<ApplicableTradeTax><CategoryCode>S</CategoryCode></ApplicableTradeTax><SpecifiedTradeAllowanceCharge><CategoryTradeTax><CategoryCode>X</CategoryCode></CategoryTradeTax></SpecifiedTradeAllowanceCharge>
</ApplicableHeaderTradeSettlement></SupplyChainTradeTransaction></CrossIndustryInvoice>`
