package operation

import (
	"strings"
	"testing"
)

// TestParse_FacturaeInstalmentsStayAsTheyAre ensures that what an instalment or a line says of itself is written with that one again, whichever
// the first of them is.
func TestParse_FacturaeInstalmentsStayAsTheyAre(t *testing.T) {
	s := shippedService(t, today)
	document := squeezedXML(facturaeFile(t, "goods.xml"))
	from, to := strings.Index(document, "<PaymentDetails>"), strings.Index(document, "</PaymentDetails>")
	instalment := func(day, amount, more string) string {
		return "<Installment><InstallmentDueDate>" + day + "</InstallmentDueDate><InstallmentAmount>" + amount + "</InstallmentAmount><PaymentMeans>04</PaymentMeans>" +
			"<AccountToBeCredited><IBAN>ES9121000418450200051332</IBAN></AccountToBeCredited>" + more + "</Installment>"
	}
	const said = "<PaymentReconciliationReference>R2</PaymentReconciliationReference><CollectionAdditionalInformation>Segundo</CollectionAdditionalInformation>"
	for name, instalments := range map[string]string{
		"the second alone says more": instalment("2026-04-04", "1000.00", "") + instalment("2026-05-04", "302.36", said),
		"both say the same":          instalment("2026-04-04", "1000.00", said) + instalment("2026-04-04", "302.36", said),
	} {
		sent := document[:from] + "<PaymentDetails>" + instalments + document[to:]
		parsed := parsedAs(t, s, []byte(sent))
		if written := squeezedXML(facturaeFormat.generate(t, s, requestOf(t, parsed.Invoice)).Data); len(parsed.Warnings) > 0 || written != sent {
			t.Errorf("%s: %+v\n%s\n%s", name, parsed.Warnings, sent, written)
		}
	}
}
