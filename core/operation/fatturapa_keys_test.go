package operation

import (
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/testdata"
)

// italianKeyCases has every key of the supplement §3 for Italy, and those that it lacks, as a merge patch on an input, with the leaves of the
// document where it lands, or with ! before a leaf that is not there, and the code that it is warned with.
var italianKeyCases = []struct{ in, patch, want, warned string }{
	{"goods", `{"countrySpecific":{"recipientCode":"KRRH6B9"}}`, "CodiceDestinatario=KRRH6B9 FormatoTrasmissione=FPR12 @versione=FPR12", ""},
	{"goods", `{"countrySpecific":{"recipientCode":"UF1234"}}`, "CodiceDestinatario=UF1234 FormatoTrasmissione=FPA12 @versione=FPA12", ""},
	{"goods", `{"countrySpecific":{"recipientCode":null}}`, "CodiceDestinatario=0000000", finding.ValueAssumed},
	{"goods", `{"countrySpecific":{"recipientCode":null},"buyer":{"electronicAddress":{"schemeId":"0201","id":"UF1234"}}}`, "CodiceDestinatario=UF1234 FormatoTrasmissione=FPA12", ""},
	{"goods", `{"countrySpecific":{"recipientCode":null},"buyer":{"electronicAddress":{"schemeId":"0205","id":"KRRH6B9"}}}`, "CodiceDestinatario=KRRH6B9", ""},
	{"goods", `{"countrySpecific":{"recipientCode":null},"buyerReference":"KRRH6B9"}`, "CodiceDestinatario=KRRH6B9", ""},
	{"goods", `{"countrySpecific":{"recipientCode":null,"pec":"a@pec.example"}}`, "CodiceDestinatario=0000000 PECDestinatario=a@pec.example", ""},
	{"goods", `{"countrySpecific":{"recipientCode":null},"buyer":{"electronicAddress":{"schemeId":"0202","id":"a@pec.example"}}}`, "PECDestinatario=a@pec.example", ""},
	{"goods", `{"countrySpecific":{"taxRegime":"RF18"}}`, "RegimeFiscale=RF18", ""},
	{"goods", `{}`, "RegimeFiscale=RF01 TipoDocumento=TD01 EsigibilitaIVA=I IdTrasmittente/IdCodice=12345678903 ModalitaPagamento=MP05 CondizioniPagamento=TP02", ""},
	{"goods", `{"countrySpecific":{"documentType":"TD24"}}`, "TipoDocumento=TD24", ""},
	{"goods", `{"countrySpecific":{"sellerFiscalCode":"12345678903"}}`, "CedentePrestatore/DatiAnagrafici/CodiceFiscale=12345678903", ""},
	{"goods", `{"seller":{"taxId":"12345678903"}}`, "CedentePrestatore/DatiAnagrafici/CodiceFiscale=12345678903", ""},
	{"goods", `{"countrySpecific":{"buyerFiscalCode":"09876543217"}}`, "CessionarioCommittente/DatiAnagrafici/CodiceFiscale=09876543217", ""},
	{"goods", `{"countrySpecific":{"progressiveNumber":"00042"}}`, "ProgressivoInvio=00042", ""},
	{"goods", `{"countrySpecific":{"transmitterId":"IT09876543217"}}`, "IdTrasmittente/IdCodice=09876543217", ""},
	{"goods", `{"countrySpecific":{"cig":"ZA12345678"}}`, "DatiOrdineAcquisto/CodiceCIG=ZA12345678", ""},
	{"goods", `{"countrySpecific":{"cup":"J51B21004560001"}}`, "DatiOrdineAcquisto/CodiceCUP=J51B21004560001", ""},
	{"goods", `{"countrySpecific":{"vatCollectability":"D"}}`, "EsigibilitaIVA=D ImportoPagamento=1293.20", ""},
	{"goods", `{"countrySpecific":{"vatCollectability":"S"}}`, "EsigibilitaIVA=S ImportoPagamento=1060.00", ""},
	{"goods", `{"countrySpecific":{"paymentMethodCode":"MP12"}}`, "ModalitaPagamento=MP12", ""},
	{"goods", `{"paymentMethods":[{"type":"paypal"}]}`, "ModalitaPagamento=MP05", finding.ValueAssumed},
	{"goods", `{"countrySpecific":{"stampDuty":2}}`, "BolloVirtuale=SI ImportoBollo=2.00", ""},
	{"goods", `{"countrySpecific":{"withholding":[{"type":"RT01","amount":212,"rate":20,"reason":"A"}]}}`,
		"TipoRitenuta=RT01 ImportoRitenuta=212.00 AliquotaRitenuta=20.00 CausalePagamento=A DettaglioLinee/Ritenuta=SI ImportoPagamento=1081.20", ""},
	{"withholding", `{}`, "TipoCassa=TC01 AlCassa=4.00 ImportoContributoCassa=40.00 ImponibileCassa=1000.00 DatiCassaPrevidenziale/AliquotaIVA=22.00 DatiCassaPrevidenziale/Ritenuta=SI", ""},
	{"goods", `{"countrySpecific":{"rea":{"office":"MI","number":"1234567","capital":10000,"shareholders":"SU","liquidation":"LS"}}}`,
		"Ufficio=MI NumeroREA=1234567 CapitaleSociale=10000.00 SocioUnico=SU StatoLiquidazione=LS", ""},
	{"goods", `{"seller":{"registrationNumber":"MI-1234567"}}`, "Ufficio=MI NumeroREA=1234567 StatoLiquidazione=LN", ""},
	{"reverse-charge", `{}`, "DettaglioLinee/Natura=N6.3 DettaglioLinee/Natura=N6.9 DatiRiepilogo/Natura=N6.3 DatiRiepilogo/Natura=N6.9", ""},
	{"exempt", `{}`, "DettaglioLinee/Natura=N4 DatiRiepilogo/Natura=N4", ""},
	{"exempt", `{"taxSummary":[{"taxRate":0,"taxCategoryCode":"AE","netAmount":120,"taxAmount":0}],"items":[{"description":"a","quantity":1,"unit":"C62","unitPrice":120,"taxRate":0,"taxCategoryCode":"AE","netAmount":120,"taxAmount":0}]}`,
		"DettaglioLinee/Natura=N6.9 DatiRiepilogo/Natura=N6.9", finding.ValueAssumed},
	{"exempt", `{"taxSummary":[{"taxCategoryCode":"O","netAmount":120,"taxAmount":0}],"items":[{"description":"a","quantity":1,"unit":"C62","unitPrice":120,"taxCategoryCode":"O","netAmount":120,"taxAmount":0}]}`,
		"DettaglioLinee/Natura=N2.2 DettaglioLinee/AliquotaIVA=0.00 DatiRiepilogo/Natura=N2.2", finding.ValueAssumed},
	{"full", `{}`, "TipoCessionePrestazione=AB MezzoTrasporto=Camion RiferimentoFase=1 AltriDatiGestionali/TipoDato=COLORE AltriDatiGestionali/TipoDato=NOTA", ""},
	{"self-billed", `{}`, "SoggettoEmittente=CC TipoDocumento=TD01", ""},
	{"retention", `{}`, "ImportoPagamento=10500.00", ""},
}

// TestGenerate_ItalianKeys ensures where each key lands, and that a default which changes tax or routing is told.
func TestGenerate_ItalianKeys(t *testing.T) {
	s := fullService(t)
	for _, c := range italianKeyCases {
		t.Run(c.in+"/"+c.patch, func(t *testing.T) {
			body, err := testdata.Patched(withOptions(t, fatturapaFolder, c.in, `{}`), []byte(`{"invoice":`+c.patch+`}`))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: "IT", Format: "fatturapa", Body: body})
			if err != nil {
				t.Fatalf("%v%s", err, entriesOf(err))
			}
			leaves := italianLeaves(t, answer.Data)
			for want := range strings.FieldsSeq(c.want) {
				if !slices.ContainsFunc(leaves, func(leaf string) bool { return strings.HasSuffix(leaf, "/"+want) }) {
					t.Errorf("%s is not in the document:\n%s", want, strings.Join(leaves, "\n"))
				}
			}
			if c.warned != "" && !slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Code == c.warned }) {
				t.Errorf("warned with %+v", answer.Warnings)
			}
		})
	}
}

// italianLeaves lists the texts of a document with the local names of the elements on the way, and the attributes of the document element.
func italianLeaves(t *testing.T, document []byte) []string {
	t.Helper()
	doc, err := xmltree.Parse(document, xmltree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	version, _ := doc.AttrValue(doc.Root(), "versione")
	leaves := []string{"/@versione=" + string(version)}
	var walk func(n xmltree.Node, path string)
	walk = func(n xmltree.Node, path string) {
		path += "/" + doc.Local(n)
		leaf := true
		for c, end := doc.Children(n); c < end; c = doc.End(c) {
			if doc.Kind(c) == xmltree.KindElement {
				walk(c, path)
				leaf = false
			}
		}
		if leaf {
			leaves = append(leaves, path+"="+doc.String(n))
		}
	}
	walk(doc.Root(), "")
	return leaves
}
