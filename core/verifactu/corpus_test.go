//go:build corpus

package verifactu

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// TestCorpus_Vectors recomputes every hash and every address of the vectors.
func TestCorpus_Vectors(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(corpus.Shared(), "corpus", "verdicts", "verifactu-vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Hash []struct{ Kind, Input, Huella, QR string }
		QR   []struct{ NIF, NumSerie, Fecha, Importe, URL string }
	}
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	addresses := 0
	address := func(want, nif, number, day, total string) {
		addresses++
		code, wrong := NewQR(QRInput{SellerNIF: nif, Number: number, Date: day, Total: decimal.MustParse(total), VerifactuMode: true, Test: true})
		if len(wrong) > 0 || code.URL() != want {
			t.Errorf("%+v %+v, want %s", code, wrong, want)
		}
	}
	for _, v := range vectors.Hash {
		l := linkOf(v.Input)
		if l.Cancels != (v.Kind == "anulacion") || l.HashInput() != v.Input || l.Computed() != v.Huella {
			t.Errorf("%s\n%s: %s, want %s", v.Input, l.HashInput(), l.Computed(), v.Huella)
		}
		if v.QR != "" {
			address(v.QR, l.Invoice.Issuer, l.Invoice.Number, l.Invoice.Date, l.Total)
		}
	}
	for _, q := range vectors.QR {
		address(q.URL, q.NIF, q.NumSerie, q.Fecha, q.Importe)
	}
	if len(vectors.Hash) < 17 || addresses < 15 {
		t.Errorf("%d hashes, %d addresses", len(vectors.Hash), addresses)
	}
}

// linkOf takes the text that is hashed apart.
func linkOf(input string) Link {
	values := map[string]string{}
	for pair := range strings.SplitSeq(input, "&") {
		name, value, _ := strings.Cut(pair, "=")
		values[strings.TrimSuffix(name, "Anulada")] = value
	}
	return Link{Cancels: strings.HasPrefix(input, "IDEmisorFacturaAnulada"), Type: values["TipoFactura"], Tax: values["CuotaTotal"], Total: values["ImporteTotal"],
		Invoice:  InvoiceID{values["IDEmisorFactura"], values["NumSerieFactura"], values["FechaExpedicionFactura"]},
		Previous: values["Huella"], Generated: values["FechaHoraHusoGenRegistro"]}
}

// TestCorpus_ComesBack reads every document that is valid, and writes and reads it again: it holds the same. The chains of the corpus hold.
func TestCorpus_ComesBack(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(corpus.Shared(), "corpus", "verifactu", "*.xml"))
	if err != nil || len(files) < 12 {
		t.Fatal(len(files), err)
	}
	for _, file := range files {
		document, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		batch, err := Read(document)
		if err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
			continue
		}
		written, err := batch.XML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read(written)
		if diff := cmp.Diff(batch, again); err != nil || diff != "" {
			t.Errorf("%s: %v %s", filepath.Base(file), err, diff)
		}
		if diff := cmp.Diff(texts(t, document), texts(t, written)); diff != "" && batch.Issuer.NIF != "" {
			t.Errorf("%s: %s", filepath.Base(file), diff)
		}
		if strings.HasPrefix(filepath.Base(file), "josemmo") {
			continue // its first hash is a pattern
		}
		chain := Chain{Part: true}
		for _, r := range batch.Records {
			chain.Add(r.Link())
		}
		if chain.BrokenCount > 0 {
			t.Errorf("%s: %+v", filepath.Base(file), chain.Broken)
		}
	}
}
