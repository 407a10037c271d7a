import com.helger.peppol.sbdh.PeppolSBDHData;
import com.helger.peppol.sbdh.PeppolSBDHDataReadException;
import com.helger.peppol.sbdh.PeppolSBDHDataReader;
import com.helger.peppol.sml.ESML;
import com.helger.peppol.sml.ISMLInfo;
import com.helger.peppol.smp.ESMPTransportProfile;
import com.helger.peppolid.IDocumentTypeIdentifier;
import com.helger.peppolid.IParticipantIdentifier;
import com.helger.peppolid.IProcessIdentifier;
import com.helger.peppolid.factory.PeppolIdentifierFactory;
import com.helger.smpclient.peppol.SMPClientReadOnly;
import com.helger.smpclient.url.PeppolNaptrURLProvider;
import com.helger.xsds.peppol.smp1.EndpointType;
import com.helger.xsds.peppol.smp1.SignedServiceMetadataType;
import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;

/**
 * Asks peppol-commons about what the Peppol network is told. One line in, one line out; words are separated by tabs.
 *
 * <p>In: "envelope" and the path of an envelope; "participant", "document" or "process" and an identifier; "group" with the address of a
 * publisher and a participant; "service" with the same, document type, process and the path of a certificate that is trusted. Out: "ok" and what was
 * found, separated by tabs; or "bad", the code of what is wrong and what happened.
 */
public final class Network {
  private static final PeppolIdentifierFactory IDS = PeppolIdentifierFactory.INSTANCE;

  public static void main(String[] args) throws Exception {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      out.println(answer(line.split("\t", -1)).replaceAll("[\r\n]+", " "));
    }
  }

  private static String answer(String[] words) {
    try {
      return switch (words[0]) {
        case "envelope" -> envelope(words[1]);
        case "participant" -> participant(IDS.parseParticipantIdentifier(words[1]));
        case "document" -> document(IDS.parseDocumentTypeIdentifier(words[1]));
        case "process" -> process(IDS.parseProcessIdentifier(words[1]));
        case "group" -> group(words);
        default -> service(words);
      };
    } catch (PeppolSBDHDataReadException e) {
      return "bad\t" + e.getErrorCode() + "\t" + e.getMessage();
    } catch (Exception e) {
      return "bad\t" + e.getClass().getSimpleName() + "\t" + e.getMessage();
    }
  }

  private static String envelope(String path) throws Exception {
    try (InputStream in = new FileInputStream(path)) {
      PeppolSBDHData d = new PeppolSBDHDataReader(IDS).extractData(in);
      return String.join("\t", "ok", d.getSenderURIEncoded(), d.getReceiverURIEncoded(), d.getDocumentTypeURIEncoded(), d.getProcessURIEncoded(),
          d.getCountryC1(), d.getInstanceIdentifier(), d.getStandard(), d.getTypeVersion(), d.getType(), d.getBusinessMessage().getLocalName());
    }
  }

  @SuppressWarnings("removal") // the older names are what is asked for
  private static String participant(IParticipantIdentifier id) throws Exception {
    if (id == null) {
      return "bad\tnull\t";
    }
    ISMLInfo sml = ESML.DIGIT_TEST;
    return String.join("\t", "ok", id.getURIEncoded(), id.getURIPercentEncoded(), sml.getDNSZone(),
        PeppolNaptrURLProvider.INSTANCE.getDNSNameOfParticipant(id, sml), com.helger.smpclient.url.PeppolURLProvider.INSTANCE.getDNSNameOfParticipant(id, sml));
  }

  private static String document(IDocumentTypeIdentifier id) {
    return id == null ? "bad\tnull\t" : String.join("\t", "ok", id.getURIEncoded(), id.getURIPercentEncoded());
  }

  private static String process(IProcessIdentifier id) {
    return id == null ? "bad\tnull\t" : String.join("\t", "ok", id.getURIEncoded(), id.getURIPercentEncoded());
  }

  private static String group(String[] words) throws Exception {
    var group = new SMPClientReadOnly(URI.create(words[1])).getServiceGroupOrNull(IDS.parseParticipantIdentifier(words[2]));
    if (group == null) {
      return "bad\tnull\t";
    }
    StringBuilder said = new StringBuilder("ok\t" + group.getParticipantIdentifier().getScheme() + "::" + group.getParticipantIdentifier().getValue());
    for (IDocumentTypeIdentifier type : SMPClientReadOnly.getAllDocumentTypes(group)) {
      said.append('\t').append(type.getURIEncoded());
    }
    return said.toString();
  }

  private static String service(String[] words) throws Exception {
    SMPClientReadOnly client = new SMPClientReadOnly(URI.create(words[1]));
    client.setTrustStore(trusting(words[5]));
    SignedServiceMetadataType found =
        client.getServiceMetadataOrNull(IDS.parseParticipantIdentifier(words[2]), IDS.parseDocumentTypeIdentifier(words[3]));
    if (found == null) {
      return "bad\tnull\t";
    }
    EndpointType e = SMPClientReadOnly.getEndpoint(found, IDS.parseProcessIdentifier(words[4]),
        ESMPTransportProfile.TRANSPORT_PROFILE_PEPPOL_AS4_V2);
    X509Certificate c = SMPClientReadOnly.getEndpointCertificate(e);
    return String.join("\t", "ok", SMPClientReadOnly.getEndpointAddress(e), Base64.getEncoder().encodeToString(c.getEncoded()));
  }

  private static KeyStore trusting(String path) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    try (InputStream in = new FileInputStream(path)) {
      for (Certificate c : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        store.setCertificateEntry("root" + store.size(), c);
      }
    }
    return store;
  }
}
