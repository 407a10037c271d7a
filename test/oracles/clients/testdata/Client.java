import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.InvoiceGenerationApi;
import org.openapitools.client.api.InvoiceParsingApi;
import org.openapitools.client.model.CompleteBankAccount;
import org.openapitools.client.model.CompleteInvoice;
import org.openapitools.client.model.CompleteItem;
import org.openapitools.client.model.CompletePaymentMethod;
import org.openapitools.client.model.CompleteTaxSummary;
import org.openapitools.client.model.CompleteTrader;
import org.openapitools.client.model.Contact;
import org.openapitools.client.model.DocumentType;
import org.openapitools.client.model.Error;
import org.openapitools.client.model.GenerateAnswer;
import org.openapitools.client.model.GenerateRequest;
import org.openapitools.client.model.Invoice;
import org.openapitools.client.model.ParseRequest;
import org.openapitools.client.model.PaymentMethodType;

/** Sends two invoices, and a document that is none, through the generated Java client and prints what it reads back. */
public class Client {
  private static final List<List<String>> INVOICES = List.of(
      List.of("25.00", "100.00", "19.00", "119.00"),
      List.of("25936300212.6775", "103745200850.71", "19711588161.63", "123456789012.34"));

  private static CompleteInvoice invoice(BigDecimal price, BigDecimal net, BigDecimal tax, BigDecimal total) {
    BigDecimal rate = new BigDecimal("19");
    return new CompleteInvoice()
        .invoiceNumber("2026-0117").type(DocumentType.INVOICE).currency("EUR").buyerReference("04011000-12345-03")
        .issueDate(LocalDate.of(2026, 3, 2)).dueDate(LocalDate.of(2026, 4, 1)).deliveryDate(LocalDate.of(2026, 2, 27))
        .seller(new CompleteTrader().name("Weserhandel GmbH").street("Am Speicher 4").city("Bremen").postalCode("28195").countryCode("DE")
            .vatId("DE123456789").email("billing@weserhandel.example").phone("+49 421 000000")
            .contact(new Contact().name("Petra Harms")).bankAccount(new CompleteBankAccount().iban("DE02120300000000202051")))
        .buyer(new CompleteTrader().name("Amt Nord").street("Fuldaufer 1").city("Kassel").postalCode("34117").countryCode("DE")
            .email("intake@amt-nord.example"))
        .addItemsItem(new CompleteItem().description("Signal lamp").quantity(new BigDecimal("4")).unit("C62").unitPrice(price)
            .taxRate(rate).taxCategoryCode("S").netAmount(net).taxAmount(tax))
        .addTaxSummaryItem(new CompleteTaxSummary().taxRate(rate).taxCategoryCode("S").netAmount(net).taxAmount(tax))
        .subtotal(net).total(total)
        .addPaymentMethodsItem(new CompletePaymentMethod().type(PaymentMethodType.CREDIT_TRANSFER));
  }

  private static Map<String, Object> refusal(ApiClient client) throws Exception {
    try {
      new InvoiceParsingApi(client).parseAuto(new ParseRequest().data("PEludm9pY2UvPg=="), null, null);
    } catch (ApiException e) {
      Error error = client.getObjectMapper().readValue(e.getResponseBody(), Error.class);
      return Map.of("code", error.getCode(), "success", error.getSuccess().getValue(), "field", error.getErrors().get(0).getField());
    }
    throw new IllegalStateException("the document that is none was taken for an invoice");
  }

  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + System.getenv("KEY")));
    List<Map<String, Object>> results = new ArrayList<>();
    for (List<String> texts : INVOICES) {
      BigDecimal[] a = texts.stream().map(BigDecimal::new).toArray(BigDecimal[]::new);
      GenerateAnswer made = new InvoiceGenerationApi(client)
          .generate("de", "xrechnung", new GenerateRequest().invoice(invoice(a[0], a[1], a[2], a[3])), null, null, null);
      Invoice read = new InvoiceParsingApi(client).parse("de", "xrechnung", new ParseRequest().data(made.getData()), null, null).getInvoice();
      List<String> amounts = Stream.of(
              read.getItems().get(0).getUnitPrice(), read.getSubtotal(), read.getTaxSummary().get(0).getTaxAmount(), read.getTotal())
          .map(BigDecimal::toPlainString).toList();
      results.add(Map.of("document", made.getData(), "hash", made.getHash(), "issued", read.getIssueDate().toString(), "amounts", amounts));
    }
    System.out.println(new ObjectMapper().writeValueAsString(Map.of("invoices", results, "refusal", refusal(client))));
  }
}
