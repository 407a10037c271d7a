import com.fasterxml.jackson.databind.ObjectMapper;
import com.helger.cii.d16b.CIID16BCrossIndustryInvoiceTypeMarshaller;
import com.helger.diagnostics.error.list.ErrorList;
import com.helger.en16931.cii2ubl.CIIToUBL21Converter;
import com.helger.ubl21.UBL21Marshaller;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import oasis.names.specification.ubl.schema.xsd.creditnote_21.CreditNoteType;
import oasis.names.specification.ubl.schema.xsd.invoice_21.InvoiceType;
import org.mustangproject.CalculatedInvoice;
import org.mustangproject.ZUGFeRD.ZUGFeRDInvoiceImporter;
import un.unece.uncefact.data.standard.crossindustryinvoice._100.CrossIndustryInvoiceType;

/**
 * Asks two independent programs about CII documents. One line in, one line out.
 *
 * <p>In: "ubl", the path of a document and that of the UBL to write, or "read" and the path of a document, separated by tabs. Out: "ok" for
 * what was written; the invoice as JSON for what was read; or "error" and what happened.
 */
public final class Convert {
  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split("\t");
      out.println(answer(words).replaceAll("\\s+", " "));
    }
  }

  private static String answer(String[] words) {
    try {
      return words[0].equals("ubl") ? ubl(new File(words[1]), new File(words[2])) : read(Path.of(words[1]));
    } catch (Exception e) {
      return "error " + e;
    }
  }

  private static String ubl(File from, File to) {
    ErrorList errors = new ErrorList();
    CrossIndustryInvoiceType cii = new CIID16BCrossIndustryInvoiceTypeMarshaller().setCollectErrors(errors).read(from);
    if (cii == null) {
      return "error not read " + errors;
    }
    Object made = new CIIToUBL21Converter().convertCIItoUBL(cii, errors);
    boolean written = made instanceof CreditNoteType c
        ? UBL21Marshaller.creditNote().setCollectErrors(errors).write(c, to).isSuccess()
        : made instanceof InvoiceType i && UBL21Marshaller.invoice().setCollectErrors(errors).write(i, to).isSuccess();
    return written ? "ok" : "error not written " + errors;
  }

  private static String read(Path from) throws Exception {
    ZUGFeRDInvoiceImporter importer = new ZUGFeRDInvoiceImporter();
    importer.doIgnoreCalculationErrors();
    importer.fromXML(Files.readString(from));
    CalculatedInvoice invoice = new CalculatedInvoice();
    importer.extractInto(invoice);
    return new ObjectMapper().writeValueAsString(invoice);
  }
}
