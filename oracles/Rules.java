import com.helger.diagnostics.error.IError;
import com.helger.diver.api.coord.DVRCoordinate;
import com.helger.io.resource.FileSystemResource;
import com.helger.phive.api.executorset.ValidationExecutorSetRegistry;
import com.helger.phive.api.result.ValidationResult;
import com.helger.phive.api.validity.IValidityDeterminator;
import com.helger.phive.en16931.EN16931Validation;
import com.helger.phive.xml.source.IValidationSourceXML;
import com.helger.phive.xml.source.ValidationSourceXML;
import com.helger.phive.xrechnung.XRechnungValidation;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import javax.xml.XMLConstants;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import net.sf.saxon.s9api.Axis;
import net.sf.saxon.s9api.Processor;
import net.sf.saxon.s9api.QName;
import net.sf.saxon.s9api.SaxonApiException;
import net.sf.saxon.s9api.XdmDestination;
import net.sf.saxon.s9api.XdmNode;
import net.sf.saxon.s9api.Xslt30Transformer;
import net.sf.saxon.s9api.XsltCompiler;
import net.sf.saxon.s9api.XsltExecutable;
import net.sf.saxon.value.DateTimeValue;
import org.xml.sax.SAXException;

/**
 * Judges XML documents with the official schemas and rules: one line in, one line of JSON out.
 *
 * <p>In: the layers to apply, separated by commas, a tab, the path of the document. A layer is the coordinate of a rule set, a
 * hash sign and a part of the name of one of its resources (a schema or a compiled rule file). Out: for each layer its
 * findings with id, level, text and place. Each layer is applied even when an earlier one refuses the document; the caller
 * decides what counts. A layer "xslt:" or "xsd:" with a path is a file of its own, judged by {@link Files}. The only argument,
 * "list", prints the coordinates.
 */
public final class Rules {
  private final ValidationExecutorSetRegistry<IValidationSourceXML> registry = new ValidationExecutorSetRegistry<>();
  private final IValidityDeterminator<IValidationSourceXML> validity = IValidityDeterminator.createDefault();
  private final Files files = new Files();

  private Rules() {
    EN16931Validation.initEN16931(registry); // first: the others refer to it
    XRechnungValidation.initXRechnung(registry);
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
        String answer = files.knows(layer) ? files.judge(layer, new File(file)) : "\"findings\":" + findings(apply(layer, source));
        layers.add("{\"layer\":" + quote(layer) + "," + answer + "}");
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

  static String quote(Object value) {
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

/** Judges documents by single files: Schematron compiled to XSLT with Saxon, XML Schema with the JDK. */
final class Files {
  private static final QName ID = new QName("id");
  private static final QName FLAG = new QName("flag");
  private static final QName ROLE = new QName("role");
  private static final QName TEST = new QName("test");
  private static final QName CONTEXT = new QName("context");

  private final Processor processor = new Processor(false);
  private final Map<String, XsltExecutable> rules = new HashMap<>();
  private final Map<String, Schema> schemas = new HashMap<>();

  boolean knows(String layer) {
    return layer.startsWith("xslt:") || layer.startsWith("xsd:");
  }

  /** Gives the members of an answer: "fired", an array of id, flag and count; "aborted", the code of an error; or "valid". */
  String judge(String layer, File document) throws Exception {
    String path = layer.substring(layer.indexOf(':') + 1);
    if (layer.startsWith("xsd:")) {
      return "\"valid\":" + valid(path, document);
    }
    if (!rules.containsKey(path)) {
      XsltCompiler compiler = processor.newXsltCompiler();
      compiler.setErrorReporter(warning -> { });
      rules.put(path, compiler.compile(new StreamSource(new File(path))));
    }
    XdmDestination report = new XdmDestination();
    try {
      Xslt30Transformer transformer = rules.get(path).load30();
      transformer.setErrorReporter(error -> { });
      transformer.setMessageHandler(message -> { });
      transformer.getUnderlyingController().setCurrentDateTime(DateTimeValue.fromZonedDateTime(CLOCK));
      transformer.transform(new StreamSource(document), report);
    } catch (SaxonApiException e) {
      return "\"aborted\":" + Rules.quote(e.getErrorCode() == null ? e.getMessage() : e.getErrorCode().getLocalName());
    }
    return "\"fired\":" + fired(report.getXdmNode());
  }

  /** The clock of the corpus, which a rule or two depend on. */
  private static final ZonedDateTime CLOCK = ZonedDateTime.parse("2026-09-01T00:00:00Z");

  private boolean valid(String path, File document) throws Exception {
    if (!schemas.containsKey(path)) {
      schemas.put(path, SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI).newSchema(new File(path)));
    }
    try {
      schemas.get(path).newValidator().validate(new StreamSource(document));
      return true;
    } catch (SAXException e) {
      return false;
    }
  }

  private static String fired(XdmNode report) throws Exception {
    Map<String, Integer> counts = new TreeMap<>();
    String context = "";
    for (var nodes = report.axisIterator(Axis.DESCENDANT); nodes.hasNext(); ) {
      XdmNode node = (XdmNode) nodes.next();
      String name = node.getNodeName() == null ? "" : node.getNodeName().getLocalName();
      if (name.equals("fired-rule")) {
        context = attribute(node, CONTEXT);
      } else if (name.equals("failed-assert") || name.equals("successful-report")) {
        String id = attribute(node, ID).isEmpty() ? anonymous(context + "|" + attribute(node, TEST)) : attribute(node, ID);
        String flag = attribute(node, FLAG).isEmpty() ? attribute(node, ROLE) : attribute(node, FLAG);
        counts.merge("\"id\":" + Rules.quote(id) + ",\"flag\":" + Rules.quote(flag), 1, Integer::sum);
      }
    }
    StringJoiner all = new StringJoiner(",", "[", "]");
    counts.forEach((rule, count) -> all.add("{" + rule + ",\"count\":" + count + "}"));
    return all.toString();
  }

  private static String attribute(XdmNode node, QName name) {
    String value = node.getAttributeValue(name);
    return value == null ? "" : value;
  }

  /** Names an assertion without id as the verdicts of the corpus do. */
  private static String anonymous(String text) throws Exception {
    byte[] sum = MessageDigest.getInstance("SHA-1").digest(text.replaceAll("[\\s,{}]", "").getBytes(StandardCharsets.UTF_8));
    return String.format("~%02x%02x%02x%02x", sum[0], sum[1], sum[2], sum[3]);
  }
}
