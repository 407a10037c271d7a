import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.TreeSet;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.ValidationResult;
import org.verapdf.pdfa.validation.profiles.RuleId;

/**
 * Judges PDF files by profiles of veraPDF. One line in, one line out.
 *
 * <p>In: the name of a profile (3b, ua1), a tab, and the path of a file. Out: how many things were looked at, and the rules that failed,
 * each as clause-test, all separated by spaces; or "error" and what happened.
 */
public final class Profiles {
  public static void main(String[] args) throws Exception {
    VeraGreenfieldFoundryProvider.initialise();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      int tab = line.indexOf('\t');
      out.println(judge(PDFAFlavour.byFlavourId(line.substring(0, tab)), new File(line.substring(tab + 1))));
    }
  }

  private static String judge(PDFAFlavour profile, File file) {
    try (PDFAParser parser = Foundries.defaultInstance().createParser(file, profile);
        PDFAValidator validator = Foundries.defaultInstance().createValidator(profile, false)) {
      ValidationResult result = validator.validate(parser);
      TreeSet<String> failed = new TreeSet<>();
      for (RuleId rule : result.getFailedChecks().keySet()) {
        failed.add(rule.getClause() + "-" + rule.getTestNumber());
      }
      if (result.isCompliant() != failed.isEmpty()) {
        return "error the verdict contradicts the failed rules";
      }
      return (result.getTotalAssertions() + " " + String.join(" ", failed)).trim();
    } catch (Exception e) {
      return "error " + String.valueOf(e).replaceAll("\\s+", " ");
    }
  }
}
