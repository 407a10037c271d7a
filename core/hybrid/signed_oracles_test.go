//go:build oracles

package hybrid

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// program runs a program and gives what it says.
func program(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// signed gives a PDF that pdfsig has signed with a certificate of its own, and the store that knows it.
func signed(t *testing.T, form pdfmaker.Form) (pdf []byte, store string) {
	t.Helper()
	folder := t.TempDir()
	store = "sql:" + folder
	noise, plain, with := filepath.Join(folder, "noise"), filepath.Join(folder, "plain.pdf"), filepath.Join(folder, "signed.pdf")
	for name, data := range map[string][]byte{noise: []byte(strings.Repeat("no secret ", 10)), plain: pdfmaker.PDF{Form: form}.Bytes()} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program(t, "certutil", "-N", "-d", store, "--empty-password")
	program(t, "certutil", "-S", "-d", store, "-n", "signer", "-s", "CN=Signer", "-x", "-t", "CT,C,C", "-z", noise)
	program(t, "pdfsig", "-nssdir", store, "-add-signature", "-nick", "signer", plain, with)
	pdf, err := os.ReadFile(with)
	if err != nil {
		t.Fatal(err)
	}
	return pdf, store
}

// certify makes the signature the one that certifies the document (ISO 32000-1 §12.8.2.2), by an update.
func certify(t *testing.T, pdf []byte) []byte {
	t.Helper()
	d, err := Open(t.Context(), pdf)
	if err != nil {
		t.Fatal(err)
	}
	u, err := d.file.Update()
	if err != nil {
		t.Fatal(err)
	}
	field := d.file.Dict(d.file.Array(d.file.Dict(d.catalog["AcroForm"])["Fields"])[0])
	catalog := maps.Clone(d.catalog)
	catalog["Perms"] = pdffile.Dict{"DocMDP": field["V"]}
	u.Replace(d.file.Trailer["Root"].(pdffile.Ref), catalog)
	added, err := u.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(pdf, added)
}

// TestSigned_StillVerifies ensures with poppler's pdfsig that the signatures of signed and certified carriers verify after embedding, and
// that both are known for what they are.
func TestSigned_StillVerifies(t *testing.T) {
	for _, form := range []pdfmaker.Form{pdfmaker.Table, pdfmaker.Streams} {
		pdf, store := signed(t, form)
		for name, c := range map[string]struct {
			carrier []byte
			want    Signatures
		}{"signed": {pdf, Signatures{Signed: true}}, "certified": {certify(t, pdf), Signatures{Certified: true}}} {
			d, err := Open(t.Context(), c.carrier)
			if err != nil {
				t.Fatal(err)
			}
			if got := d.Signatures(); got != c.want {
				t.Errorf("%s, form %d: %+v", name, form, got)
			}
			result, again := embed(t, c.carrier)
			if again.Signatures() != c.want {
				t.Errorf("%s, form %d: the result is %+v", name, form, again.Signatures())
			}
			file := filepath.Join(t.TempDir(), "result.pdf")
			if err := os.WriteFile(file, result, 0o600); err != nil {
				t.Fatal(err)
			}
			if said := program(t, "pdfsig", "-nssdir", store, file); !strings.Contains(said, "Signature is Valid") || !strings.Contains(said, "Not total document signed") {
				t.Errorf("%s, form %d: %s", name, form, said)
			}
		}
	}
}
