"""Sends two invoices, and a document that is none, through the generated Python client and prints what it reads back."""
import json
import os
from datetime import date
from decimal import Decimal

from einvoiced import ApiClient, Configuration, InvoiceGenerationApi, InvoiceParsingApi
from einvoiced.exceptions import BadRequestException
from einvoiced.models import (
    CompleteBankAccount, CompleteInvoice, CompleteItem, CompletePaymentMethod, CompleteTaxSummary, CompleteTrader, Contact, DocumentType,
    GenerateRequest, ParseRequest, PaymentMethodType)

EXAMPLE = [Decimal("25.00"), Decimal("100.00"), Decimal("19.00"), Decimal("119.00")]
LARGE = [Decimal("25936300212.6775"), Decimal("103745200850.71"), Decimal("19711588161.63"), Decimal("123456789012.34")]


def invoice(price, net, tax, total):
    return CompleteInvoice(
        invoice_number="2026-0117", type=DocumentType.INVOICE, issue_date=date(2026, 3, 2), due_date=date(2026, 4, 1),
        delivery_date=date(2026, 2, 27), currency="EUR", buyer_reference="04011000-12345-03",
        seller=CompleteTrader(
            name="Weserhandel GmbH", street="Am Speicher 4", city="Bremen", postal_code="28195", country_code="DE", vat_id="DE123456789",
            email="billing@weserhandel.example", phone="+49 421 000000", contact=Contact(name="Petra Harms"),
            bank_account=CompleteBankAccount(iban="DE02120300000000202051")),
        buyer=CompleteTrader(
            name="Amt Nord", street="Fuldaufer 1", city="Kassel", postal_code="34117", country_code="DE", email="intake@amt-nord.example"),
        items=[CompleteItem(
            description="Signal lamp", quantity=Decimal(4), unit="C62", unit_price=price, tax_rate=Decimal(19), tax_category_code="S",
            net_amount=net, tax_amount=tax)],
        tax_summary=[CompleteTaxSummary(tax_rate=Decimal(19), tax_category_code="S", net_amount=net, tax_amount=tax)],
        subtotal=net, total=total, payment_methods=[CompletePaymentMethod(type=PaymentMethodType.CREDIT_TRANSFER)])


def refusal(client):
    try:
        InvoiceParsingApi(client).parse_auto(ParseRequest(data="PEludm9pY2UvPg=="))
    except BadRequestException as e:
        return {"code": e.data.code, "success": e.data.success, "field": e.data.errors[0].var_field}
    raise AssertionError("the document that is none was taken for an invoice")


results = []
with ApiClient(Configuration(host=os.environ["URL"], access_token=os.environ["KEY"])) as client:
    for amounts in (EXAMPLE, LARGE):
        made = InvoiceGenerationApi(client).generate("de", "xrechnung", GenerateRequest(invoice=invoice(*amounts)))
        read = InvoiceParsingApi(client).parse("de", "xrechnung", ParseRequest(data=made.data)).invoice
        found = [read.items[0].unit_price, read.subtotal, read.tax_summary[0].tax_amount, read.total]
        assert all(isinstance(amount, Decimal) for amount in found), "an amount is no Decimal"
        results.append({"document": made.data, "hash": made.hash, "issued": read.issue_date.isoformat(), "amounts": [str(a) for a in found]})
    print(json.dumps({"invoices": results, "refusal": refusal(client)}))
