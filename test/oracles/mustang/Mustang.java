import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.mustangproject.validator.ZUGFeRDValidator;

/**
 * Judges hybrids, the PDF and the invoice in it, by the validator of Mustang. One line in, one line out.
 *
 * <p>In: the path of a file. Out: "valid" or "invalid", a tab, and the report of the validator on one line.
 */
public final class Mustang {
  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // the validator talks
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String path = in.readLine(); path != null; path = in.readLine()) {
      ZUGFeRDValidator validator = new ZUGFeRDValidator();
      validator.disableNotices();
      String report = validator.validate(path);
      out.println((validator.wasCompletelyValid() ? "valid\t" : "invalid\t") + report.replaceAll("\\s+", " "));
    }
  }
}
