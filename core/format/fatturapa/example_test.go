package fatturapa_test

import (
	"context"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format/fatturapa"
)

// An invoice to a municipality: the office is addressed by its code, and what the invoice object has no member for keeps its Italian name.
func ExampleFormat_Read() {
	doc, err := xmltree.Parse([]byte(`<p:FatturaElettronica xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2" versione="FPA12">
	  <FatturaElettronicaHeader>
	    <DatiTrasmissione><FormatoTrasmissione>FPA12</FormatoTrasmissione><CodiceDestinatario>UF1234</CodiceDestinatario></DatiTrasmissione>
	    <CessionarioCommittente><DatiAnagrafici><Anagrafica><Denominazione>Comune di Prova</Denominazione></Anagrafica></DatiAnagrafici></CessionarioCommittente>
	  </FatturaElettronicaHeader>
	  <FatturaElettronicaBody>
	    <DatiGenerali>
	      <DatiGeneraliDocumento><TipoDocumento>TD01</TipoDocumento><Divisa>EUR</Divisa><Numero>PA-1</Numero><Art73>SI</Art73></DatiGeneraliDocumento>
	      <DatiOrdineAcquisto><IdDocumento>66685</IdDocumento><CodiceCUP>J51B21004560001</CodiceCUP><CodiceCIG>ZA12345678</CodiceCIG></DatiOrdineAcquisto>
	    </DatiGenerali>
	  </FatturaElettronicaBody>
	</p:FatturaElettronica>`), xmltree.Options{})
	if err != nil {
		log.Fatal(err)
	}
	format, err := fatturapa.New()
	if err != nil {
		log.Fatal(err)
	}
	reading, err := format.Read(context.Background(), doc)
	if err != nil {
		log.Fatal(err)
	}
	inv, italian := reading.Invoice, reading.Invoice.CountrySpecific
	fmt.Println("invoice", inv.InvoiceNumber, "to", inv.Buyer.Name, "on order", inv.OrderNumber) // BT-1, BT-44, BT-13
	fmt.Println("office", italian.RecipientCode, "project", italian.CUP, "tender", italian.CIG)
	for path, texts := range italian.National.Sorted() {
		fmt.Println(path, texts)
	}
	// Output:
	// invoice PA-1 to Comune di Prova on order 66685
	// office UF1234 project J51B21004560001 tender ZA12345678
	// FatturaElettronicaBody/DatiGenerali/DatiGeneraliDocumento/Art73 [SI]
}
