import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import javax.xml.transform.stream.StreamSource;
import net.sf.saxon.s9api.Processor;
import net.sf.saxon.s9api.XdmDestination;
import net.sf.saxon.s9api.XdmNode;
import net.sf.saxon.s9api.Xslt30Transformer;
import net.sf.saxon.s9api.XsltCompiler;
import net.sf.saxon.s9api.XsltExecutable;

/**
 * Times a compiled rule set on documents: parse, transform, result as a tree. One line in, one line out.
 *
 * <p>In: "rules", a tab and the path of a stylesheet, answered by "ok"; or "time", a number of runs and the path of a document,
 * answered by the median CPU time of the thread in nanoseconds, garbage collection and compilation in other threads left out.
 * What cannot be done is answered by "failed" and why.
 */
public final class Saxon {
  private final Processor processor = new Processor(false);
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private XsltExecutable rules;

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    Saxon saxon = new Saxon();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      String[] words = line.split("\t");
      try {
        out.println(words[0].equals("rules") ? saxon.compile(words[1]) : saxon.time(Integer.parseInt(words[1]), words[2]));
      } catch (Exception e) {
        out.println("failed " + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
      }
    }
  }

  private String compile(String path) throws Exception {
    XsltCompiler compiler = processor.newXsltCompiler();
    compiler.setErrorReporter(error -> {});
    rules = compiler.compile(new StreamSource(new File(path)));
    return "ok";
  }

  private long time(int runs, String path) throws Exception {
    byte[] source = Files.readAllBytes(Path.of(path));
    long[] spent = new long[runs];
    for (int i = 0; i < runs; i++) {
      long start = threads.getCurrentThreadCpuTime();
      judge(source);
      spent[i] = threads.getCurrentThreadCpuTime() - start;
    }
    Arrays.sort(spent);
    return spent[runs / 2];
  }

  private void judge(byte[] source) throws Exception {
    XdmNode document = processor.newDocumentBuilder().build(new StreamSource(new ByteArrayInputStream(source)));
    Xslt30Transformer transformer = rules.load30();
    transformer.setMessageHandler(message -> {});
    transformer.setErrorReporter(error -> {});
    transformer.setGlobalContextItem(document);
    transformer.applyTemplates(document, new XdmDestination());
  }
}
