//go:build oracles

package signature

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// receivers are receivers in several languages, each with what its standard library has. The arguments are the secret and the header
// fields Webhook-Id, Webhook-Timestamp, Webhook-Signature and X-Service-Signature; the body is standard input. They print "yes" for each
// signature that they find valid, the standard one first.
var receivers = map[string]struct{ file, source, command string }{
	"Python": {"receiver.py", `
import base64, hashlib, hmac, sys
secret, ident, stamp, standard, contract = sys.argv[1:]
body = sys.stdin.buffer.read()
key = base64.b64decode(secret[len("whsec_"):])
want = base64.b64encode(hmac.new(key, f"{ident}.{stamp}.".encode() + body, hashlib.sha256).digest()).decode()
print("yes" if any(hmac.compare_digest(s, "v1," + want) for s in standard.split(" ")) else "no")
print("yes" if hmac.compare_digest(contract, "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()) else "no")
`, "python3"},
	"Perl": {"receiver.pl", `
use strict; use warnings;
use Digest::SHA qw(hmac_sha256 hmac_sha256_hex);
use MIME::Base64;
my ($secret, $id, $stamp, $standard, $contract) = @ARGV;
binmode STDIN;
my $body = do { local $/; <STDIN> } // "";
my $want = "v1," . encode_base64(hmac_sha256("$id.$stamp.$body", decode_base64(substr($secret, 6))), "");
print((grep { $_ eq $want } split / /, $standard) ? "yes\n" : "no\n");
print($contract eq "sha256=" . hmac_sha256_hex($body, $secret) ? "yes\n" : "no\n");
`, "perl"},
	"JavaScript": {"receiver.js", `
const crypto = require("crypto"), fs = require("fs");
const [secret, id, stamp, standard, contract] = process.argv.slice(2);
const body = fs.readFileSync(0);
const key = Buffer.from(secret.slice("whsec_".length), "base64");
const want = crypto.createHmac("sha256", key).update(id + "." + stamp + ".").update(body).digest("base64");
console.log(standard.split(" ").includes("v1," + want) ? "yes" : "no");
console.log(contract === "sha256=" + crypto.createHmac("sha256", secret).update(body).digest("hex") ? "yes" : "no");
`, "node"},
	"Java": {"Receiver.java", `
import java.util.*;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Receiver {
    static byte[] mac(byte[] key, byte[]... parts) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        for (byte[] part : parts) mac.update(part);
        return mac.doFinal();
    }

    public static void main(String[] args) throws Exception {
        byte[] body = System.in.readAllBytes();
        byte[] key = Base64.getDecoder().decode(args[0].substring("whsec_".length()));
        String want = "v1," + Base64.getEncoder().encodeToString(mac(key, (args[1] + "." + args[2] + ".").getBytes("UTF-8"), body));
        System.out.println(Arrays.asList(args[3].split(" ")).contains(want) ? "yes" : "no");
        String hex = HexFormat.of().formatHex(mac(args[0].getBytes("UTF-8"), body));
        System.out.println(args[4].equals("sha256=" + hex) ? "yes" : "no");
    }
}
`, "java"},
	"shell with OpenSSL": {"receiver.sh", `
secret=$1 id=$2 stamp=$3 standard=$4 contract=$5
body=$(mktemp); trap 'rm -f "$body"' EXIT; cat > "$body"
key=$(printf %s "${secret#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
want=v1,$({ printf '%s.%s.' "$id" "$stamp"; cat "$body"; } | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
case " $standard " in *" $want "*) echo yes;; *) echo no;; esac
key=$(printf %s "$secret" | od -An -v -tx1 | tr -d ' \n')
[ "$contract" = "sha256=$(openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary < "$body" | od -An -v -tx1 | tr -d ' \n')" ] && echo yes || echo no
`, "sh"},
}

// TestOfficial_ReceiversOfManyLanguagesAgree ensures that both signatures are valid for receivers that have nothing of ours, also during
// a rotation, and that one changed bit makes them invalid.
func TestOfficial_ReceiversOfManyLanguagesAgree(t *testing.T) {
	m := message
	m.Body = []byte("{\"id\":\"evt_1\",\"name\":\"Müller & Söhne €𝄞\",\"\\u0000\":\"\\\\\"}\n")
	h, err := Header(m, secret, previous)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(m.Body)
	changed[3] ^= 1
	for language, r := range receivers {
		file := filepath.Join(t.TempDir(), r.file)
		if err := os.WriteFile(file, []byte(r.source), 0o600); err != nil {
			t.Fatal(err)
		}
		judge := func(secret string, body []byte) string {
			cmd := exec.CommandContext(t.Context(), r.command, file, secret, h.Get(StandardID), h.Get(StandardTimestamp), h.Get(StandardSignature), h.Get(Contract))
			cmd.Stdin = bytes.NewReader(body)
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%s: %v", language, err)
			}
			return strings.Join(strings.Fields(string(out)), " ")
		}
		for name, test := range map[string]struct {
			secret string
			body   []byte
			want   string
		}{
			"current secret":  {secret, m.Body, "yes yes"},
			"previous secret": {previous, m.Body, "yes no"},
			"one changed bit": {secret, changed, "no no"},
		} {
			if got := judge(test.secret, test.body); got != test.want {
				t.Errorf("%s, %s: %s, want %s", language, name, got, test.want)
			}
		}
	}
}
