import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import net.codecrete.qrbill.generator.Bill;
import net.codecrete.qrbill.generator.QRBill;
import net.codecrete.qrbill.generator.QRBillValidationError;
import net.codecrete.qrbill.generator.ValidationResult;

/**
 * Judges payloads of Swiss QR codes by qrbill-generator. One line in, one line out.
 *
 * <p>In: the path of a file. Out: "valid", or what is wrong. The library mends what it can, so a payload is valid where it is read without an
 * error and written again as it was.
 */
public final class Bills {
  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(judge(Files.readString(Path.of(line))).replaceAll("\\s+", " "));
    }
  }

  private static String judge(String payload) {
    try {
      String text = payload.replace("\r\n", "\n").replaceFirst("\n$", "");
      Bill bill = QRBill.decodeQrCodeText(text);
      ValidationResult result = QRBill.validate(bill);
      if (!result.isValid()) {
        return result.getDescription();
      }
      return QRBill.encodeQrCodeText(bill).equals(text) ? "valid" : "written otherwise: " + QRBill.encodeQrCodeText(bill);
    } catch (QRBillValidationError wrong) {
      return wrong.getMessage();
    } catch (RuntimeException unexpected) {
      return "error " + unexpected;
    }
  }
}
