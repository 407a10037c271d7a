import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.ZonedDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.transform.ErrorListener;
import javax.xml.transform.TransformerException;
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
 * Judges XML documents with single files: Schematron compiled to XSLT with Saxon 9.9 or later, XML Schema with the JDK. One line
 * in, one line of JSON out.
 *
 * <p>In: the files, separated by tabs, and last the document. A file is "xslt:" and a path, or "xsd:" and the paths of schema
 * documents, separated by semicolons: first those that others import without saying where they are. Out: an array with an
 * answer of each file: "fired", an array of id, flag and count; "aborted", the code of an error; "refused" for rules that this
 * release of Saxon does not compile; or "valid".
 */
public final class Files {
  private static final QName ID = new QName("id");
  private static final QName FLAG = new QName("flag");
  private static final QName ROLE = new QName("role");
  private static final QName TEST = new QName("test");
  private static final QName CONTEXT = new QName("context");

  private final Processor processor = new Processor(false);
  private final Map<String, XsltExecutable> rules = new HashMap<>();
  private final Map<String, Schema> schemas = new HashMap<>();

  private Files() {}

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err); // what the libraries print must not disturb the answers
    Files files = new Files();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      String[] parts = line.split("\t");
      StringJoiner answers = new StringJoiner(",", "[", "]");
      for (int i = 0; i < parts.length - 1; i++) {
        String[] file = parts[i].split(":", 2);
        File document = new File(parts[parts.length - 1]);
        answers.add(file[0].equals("xsd") ? files.valid(file[1], document) : files.fired(file[1], document));
      }
      out.println(answers);
    }
  }

  private String fired(String path, File document) throws Exception {
    if (!rules.containsKey(path)) {
      XsltCompiler compiler = processor.newXsltCompiler();
      compiler.setErrorListener(SILENT);
      try {
        rules.put(path, compiler.compile(new StreamSource(new File(path))));
      } catch (SaxonApiException e) {
        rules.put(path, null);
      }
    }
    if (rules.get(path) == null) {
      return "{\"refused\":true}";
    }
    XdmDestination report = new XdmDestination();
    try {
      Xslt30Transformer transformer = rules.get(path).load30();
      transformer.setErrorListener(SILENT);
      transformer.getUnderlyingController().setCurrentDateTime(DateTimeValue.fromZonedDateTime(CLOCK));
      transformer.transform(new StreamSource(document), report);
    } catch (SaxonApiException e) {
      return "{\"aborted\":" + quote(e.getErrorCode() == null ? e.getMessage() : e.getErrorCode().getLocalName()) + "}";
    }
    return "{\"fired\":" + fired(report.getXdmNode()) + "}";
  }

  /** The clock of the corpus, which a rule or two depend on. */
  private static final ZonedDateTime CLOCK = ZonedDateTime.parse("2026-09-01T00:00:00Z");

  private String valid(String paths, File document) throws Exception {
    if (!schemas.containsKey(paths)) {
      StreamSource[] sources = Stream.of(paths.split(";")).map(path -> new StreamSource(new File(path))).toArray(StreamSource[]::new);
      schemas.put(paths, SchemaFactory.newInstance(XMLConstants.W3C_XML_SCHEMA_NS_URI).newSchema(sources));
    }
    try {
      schemas.get(paths).newValidator().validate(new StreamSource(document));
      return "{\"valid\":true}";
    } catch (SAXException e) {
      return "{\"valid\":false}";
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
        counts.merge("\"id\":" + quote(id) + ",\"flag\":" + quote(flag), 1, Integer::sum);
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

  private static final ErrorListener SILENT = new ErrorListener() { // errors are thrown as well
    @Override public void warning(TransformerException e) {}

    @Override public void error(TransformerException e) {}

    @Override public void fatalError(TransformerException e) {}
  };

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
