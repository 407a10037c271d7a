import com.helger.diagnostics.error.IError;
import com.helger.diver.api.coord.DVRCoordinate;
import com.helger.io.resource.ClassPathResource;
import com.helger.io.resource.FileSystemResource;
import com.helger.phive.api.executorset.ValidationExecutorSet;
import com.helger.phive.api.executorset.ValidationExecutorSetRegistry;
import com.helger.phive.api.result.ValidationResult;
import com.helger.phive.api.validity.IValidityDeterminator;
import com.helger.phive.ciuspt.CIUS_PTValidation;
import com.helger.phive.ciusro.CIUS_ROValidation;
import com.helger.phive.ebinterface.EbInterfaceValidation;
import com.helger.phive.en16931.EN16931Validation;
import com.helger.phive.facturae.FacturaeValidation;
import com.helger.phive.fatturapa.FatturaPAValidation;
import com.helger.phive.isdoc.ISDOCValidation;
import com.helger.phive.ksef.KSeFValidation;
import com.helger.phive.peppol.PeppolValidation;
import com.helger.phive.rules.api.PhiveRulesCIIHelper;
import com.helger.phive.rules.api.PhiveRulesHelper;
import com.helger.phive.simplerinvoicing.SimplerInvoicingValidation;
import com.helger.phive.xml.source.IValidationSourceXML;
import com.helger.phive.xml.source.ValidationSourceXML;
import com.helger.phive.xml.xsd.ValidationExecutorXSD;
import com.helger.phive.xrechnung.XRechnungValidation;
import com.helger.phive.zugferd.ZugferdValidation;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/**
 * Judges XML documents with the official schemas and rules: one line in, one line of JSON out.
 *
 * <p>In: the layers to apply, separated by commas, a tab, the path of the document. A layer is the coordinate of a rule set, a
 * hash sign and a part of the name of one of its resources (a schema or a compiled rule file). Out: for each layer its
 * findings with id, level, text and place. Each layer is applied even when an earlier one refuses the document; the caller
 * decides what counts. The only argument, "list", prints the coordinates.
 */
public final class Rules {
  private final ValidationExecutorSetRegistry<IValidationSourceXML> registry = new ValidationExecutorSetRegistry<>();
  private final IValidityDeterminator<IValidationSourceXML> validity = IValidityDeterminator.createDefault();

  private Rules() {
    EN16931Validation.initEN16931(registry); // first: the others refer to it
    PeppolValidation.initStandard(registry);
    CIUS_PTValidation.initCIUS_PT(registry);
    CIUS_ROValidation.initCIUS_RO(registry);
    SimplerInvoicingValidation.initSimplerInvoicing(registry);
    XRechnungValidation.initXRechnung(registry);
    ZugferdValidation.initZugferd(registry);
    EbInterfaceValidation.initEbInterface(registry);
    FacturaeValidation.initFacturae(registry);
    FatturaPAValidation.initFatturaPA(registry);
    ISDOCValidation.initISDOC(registry);
    KSeFValidation.initKSeF(registry);
    initFacturX109();
  }

  /** Factur-X 1.09, which is ZUGFeRD 2.5.2, under the coordinates of phive: the jar of facturx.go has the files. */
  private void initFacturX109() {
    ClassLoader jars = ZugferdValidation.class.getClassLoader();
    for (String profile : List.of("BASIC", "EN16931", "EXTENDED")) {
      String schema = "schema/ZF_250/" + profile + "/FACTUR-X_" + profile + ".xsd";
      String rules = "xslt/ZF_250/FACTUR-X_" + profile + ".xslt";
      registry.registerValidationExecutorSet(ValidationExecutorSet.create(
          DVRCoordinate.parseOrNull("fr.factur-x:" + profile.toLowerCase(Locale.ROOT) + ":1.0.9-2"), "Factur-X 1.09 " + profile,
          PhiveRulesHelper.createSimpleStatus(false),
          ValidationExecutorXSD.create(new ClassPathResource(schema, jars)),
          PhiveRulesCIIHelper.createXSLT_CII_D22B(new ClassPathResource(rules, jars))));
    }
  }

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // what the libraries print must not disturb the answers
    Rules rules = new Rules();
    if (args.length > 0) {
      rules.registry.getAll().forEach(set -> out.println(set.getID().getAsSingleID()));
      return;
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      int tab = line.indexOf('\t');
      out.println(rules.judge(line.substring(0, tab).split(","), line.substring(tab + 1)));
    }
  }

  private String judge(String[] wanted, String file) {
    StringJoiner layers = new StringJoiner(",", "[", "]");
    try {
      IValidationSourceXML source = ValidationSourceXML.create(new FileSystemResource(new File(file)));
      for (String layer : wanted) {
        layers.add("{\"layer\":" + quote(layer) + ",\"findings\":" + findings(apply(layer, source)) + "}");
      }
    } catch (Exception e) {
      return "{\"file\":" + quote(file) + ",\"error\":" + quote(e) + "}";
    }
    return "{\"file\":" + quote(file) + ",\"layers\":" + layers + "}";
  }

  private ValidationResult apply(String layer, IValidationSourceXML source) {
    String[] parts = layer.split("#");
    var set = registry.getOfID(DVRCoordinate.parseOrNull(parts[0]));
    if (set == null) {
      throw new IllegalArgumentException("there is no rule set " + parts[0]);
    }
    for (var executor : set.executors()) {
      if (executor.getValidationArtefact().getRuleResourcePath().contains(parts[1])) {
        return executor.applyValidation(source, validity, Locale.US);
      }
    }
    throw new IllegalArgumentException("rule set " + parts[0] + " has no resource " + parts[1]);
  }

  private static String findings(ValidationResult result) {
    StringJoiner all = new StringJoiner(",", "[", "]");
    for (IError e : result.getErrorList()) {
      String id = e.getErrorID() == null ? "" : e.getErrorID();
      String place = e.getErrorFieldName() == null ? "" : e.getErrorFieldName();
      all.add("{\"id\":" + quote(id) + ",\"level\":" + quote(e.getErrorLevel().getID()) + ",\"text\":" + quote(e.getErrorText(Locale.US))
          + ",\"place\":" + quote(place) + ",\"line\":" + Math.max(0, e.getErrorLocation().getLineNumber()) + "}");
    }
    return all.toString();
  }

  private static String quote(Object value) {
    StringBuilder b = new StringBuilder("\"");
    for (char c : String.valueOf(value).toCharArray()) {
      if (c == '"' || c == '\\') {
        b.append('\\').append(c);
      } else if (c < ' ') {
        b.append(String.format("\\u%04x", (int) c));
      } else {
        b.append(c);
      }
    }
    return b.append('"').toString();
  }
}
