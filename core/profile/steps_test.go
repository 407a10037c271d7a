package profile

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// decode reads an invoice from JSON; members may be missing.
func decode(t testing.TB, text string) *invoice.Invoice {
	t.Helper()
	inv, findings, err := invoice.DecodeInvoice([]byte(text), invoice.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, f := range findings {
		if f.Code != finding.MissingField {
			t.Fatalf("%+v\n%s", f, text)
		}
	}
	return inv
}

// stepCase is what one step makes of an invoice.
type stepCase struct {
	sentence string // of the contract, the supplement or a rule
	step     Step
	in, out  string   // JSON; out empty means that nothing changes
	says     []string // codes and fields of warnings and errors, in order
}

func codesOf(lists ...[]finding.Finding) (says []string) {
	for _, f := range slices.Concat(lists...) {
		says = append(says, f.Code+" "+f.Field)
	}
	return says
}

func checkStep(t *testing.T, c stepCase, run func(*Draft), root invoice.Type) {
	t.Helper()
	d := &Draft{Invoice: decode(t, c.in), Profile: XRechnung(), Root: root}
	run(d)
	want := c.out
	if want == "" {
		want = c.in
	}
	if diff := cmp.Diff(decode(t, want), d.Invoice); diff != "" {
		t.Errorf("%s (%s):\n%s", c.sentence, c.step.Name, diff)
	}
	if diff := cmp.Diff(c.says, codesOf(d.Warnings, d.Errors)); diff != "" {
		t.Errorf("%s (%s) says:\n%s", c.sentence, c.step.Name, diff)
	}
	for _, f := range slices.Concat(d.Warnings, d.Errors) {
		if f.Message == "" {
			t.Errorf("%s: %s without a message", c.sentence, f.Code)
		}
	}
}

// TestDerive has for each step what it makes of an invoice, under the sentence that wants it so.
func TestDerive(t *testing.T) {
	for _, c := range slices.Concat(documentCases, partyCases, lineCases, taxCases, paymentCases, termsCases, addressCases, ibanCases) {
		t.Run(c.step.Name+": "+c.sentence, func(t *testing.T) { checkStep(t, c, c.step.Derive, "") })
	}
}

// TestRestore has for each step what it takes back.
func TestRestore(t *testing.T) {
	for _, c := range restoreCases {
		t.Run(c.step.Name+": "+c.sentence, func(t *testing.T) { checkStep(t, c, c.step.Restore, "") })
	}
}

// TestEveryStepIsTested holds that each step of the profile has a case in each direction that it has.
func TestEveryStepIsTested(t *testing.T) {
	named := func(cases []stepCase, step Step) bool {
		return slices.ContainsFunc(cases, func(c stepCase) bool { return c.step.Name == step.Name })
	}
	for _, step := range XRechnung().Steps {
		if step.Name == typeCode.Name {
			continue // TestEveryTypeHasItsCode and what follows it
		}
		if step.Derive != nil && !named(slices.Concat(documentCases, partyCases, lineCases, taxCases, paymentCases, termsCases, addressCases, ibanCases), step) {
			t.Errorf("no case for Derive of %s", step.Name)
		}
		if step.Restore != nil && !named(restoreCases, step) {
			t.Errorf("no case for Restore of %s", step.Name)
		}
		if step.Name == "" || step.Derive == nil && step.Restore == nil {
			t.Errorf("the step %q does nothing or has no name", step.Name)
		}
	}
}

var documentCases = []stepCase{
	{sentence: "supplement §1c: notes is the first note", step: notes,
		in:  `{"notes":"first","noteEntries":[{"text":"second","subjectCode":"AAI"}]}`,
		out: `{"noteEntries":[{"text":"first"},{"text":"second","subjectCode":"AAI"}]}`},
	{sentence: "no notes, no entry", step: notes, in: `{"noteEntries":[{"text":"a"}]}`},
	{sentence: "supplement §1c: referencedInvoiceNumber is the first of referencedInvoices", step: precedingInvoices,
		in:  `{"referencedInvoiceNumber":"1","referencedInvoiceDate":"2026-01-01","referencedInvoices":[{"number":"2"}]}`,
		out: `{"referencedInvoices":[{"number":"1","date":"2026-01-01"},{"number":"2"}]}`},
	{sentence: "the first preceding invoice may stand in both", step: precedingInvoices,
		in:  `{"referencedInvoiceNumber":"1","referencedInvoiceDate":"2026-01-01","referencedInvoices":[{"number":"1"},{"number":"2"}]}`,
		out: `{"referencedInvoices":[{"number":"1","date":"2026-01-01"},{"number":"2"}]}`},
	{sentence: "another date of the same preceding invoice stays to be missed", step: precedingInvoices,
		in:  `{"referencedInvoiceNumber":"1","referencedInvoiceDate":"2026-01-01","referencedInvoices":[{"number":"1","date":"2026-01-02"}]}`,
		out: `{"referencedInvoiceDate":"2026-01-01","referencedInvoices":[{"number":"1","date":"2026-01-02"}]}`},
	{sentence: "supplement §1b: delivery.date wins over deliveryDate", step: deliveryDay,
		in: `{"deliveryDate":"2026-01-01","delivery":{"date":"2026-01-02"}}`},
	{sentence: "contract: deliveryDate is the day of delivery", step: deliveryDay, in: `{"deliveryDate":"2026-01-01"}`, out: `{"delivery":{"date":"2026-01-01"}}`},
	{sentence: "the same delivery day twice", step: deliveryDay,
		in: `{"deliveryDate":"2026-01-01","delivery":{"date":"2026-01-01","name":"N"}}`, out: `{"delivery":{"date":"2026-01-01","name":"N"}}`},
	{sentence: "contract: businessProcess, when omitted the format's prescribed profile is used", step: businessProcess,
		in: `{}`, out: `{"businessProcess":"urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"}`},
	{sentence: "a business process of the caller's own", step: businessProcess, in: `{"businessProcess":"urn:own"}`},
	{sentence: "supplement §3: leitwegId is written to BT-10 when buyerReference is absent", step: buyerReference,
		in: `{"countrySpecific":{"leitwegId":"04011000-12345-34"}}`, out: `{"buyerReference":"04011000-12345-34","countrySpecific":{}}`},
	{sentence: "supplement §3: a generic field wins over its national twin", step: buyerReference,
		in: `{"buyerReference":"a","countrySpecific":{"buyerReference":"b","leitwegId":"04-12"}}`},
	{sentence: "supplement §3: countrySpecific.buyerReference before leitwegId", step: buyerReference,
		in: `{"countrySpecific":{"buyerReference":"b","leitwegId":"04-12"}}`, out: `{"buyerReference":"b","countrySpecific":{"leitwegId":"04-12"}}`},
	{sentence: "the same reference in all of them", step: buyerReference,
		in: `{"buyerReference":"04-12","countrySpecific":{"buyerReference":"04-12","leitwegId":"04-12"}}`, out: `{"buyerReference":"04-12","countrySpecific":{}}`},
	{sentence: "an attachment without a reference is known by its file name (BT-122)", step: attachmentReferences,
		in:  `{"attachments":[{"filename":"a.csv"},{"filename":"b.csv","reference":"B"}]}`,
		out: `{"attachments":[{"filename":"a.csv","reference":"a.csv"},{"filename":"b.csv","reference":"B"}]}`},
	{sentence: "contract: with construction and a line of category AE the reverse-charge note is emitted", step: constructionNotes,
		in:  `{"serviceCategory":"construction","items":[{"taxCategoryCode":"S"},{"taxCategoryCode":"AE"}]}`,
		out: `{"serviceCategory":"construction","items":[{"taxCategoryCode":"S"},{"taxCategoryCode":"AE"}],"noteEntries":[{"text":"Steuerschuldnerschaft des Leistungsempfängers gemäß § 13b UStG"}]}`},
	{sentence: "no reverse-charge note twice", step: constructionNotes,
		in: `{"serviceCategory":"construction","items":[{"taxCategoryCode":"AE"}],"noteEntries":[{"text":"Steuerschuldnerschaft des Leistungsempfängers gemäß § 13b UStG"}]}`},
	{sentence: "no reverse-charge note on other work", step: constructionNotes, in: `{"serviceCategory":"general","items":[{"taxCategoryCode":"AE"}]}`},
	{sentence: "no reverse-charge note without category AE", step: constructionNotes, in: `{"serviceCategory":"construction","items":[{"taxCategoryCode":"S"}]}`},
	{sentence: "contract: exemptionCertificateNumber triggers the #FREISTELLUNG# note", step: constructionNotes,
		in:  `{"constructionTax":{"exemptionCertificateNumber":"F-1"}}`,
		out: `{"noteEntries":[{"text":"#FREISTELLUNG#Freistellungsbescheinigung gemäß § 48b EStG, Nummer F-1"}]}`},
	{sentence: "contract: constructionTax as a whole", step: constructionNotes,
		in:  `{"constructionTax":{"exemptionCertificateNumber":"F-1","withholdingPercent":15,"recipientTaxOffice":"Kiel"}}`,
		out: `{"noteEntries":[{"text":"#FREISTELLUNG#Freistellungsbescheinigung gemäß § 48b EStG, Nummer F-1; Bauabzugsteuer gemäß § 48 EStG: 15 %; Finanzamt des Leistungsempfängers: Kiel"}]}`},
	{sentence: "a constructionTax that says nothing", step: constructionNotes, in: `{"constructionTax":{}}`, out: `{}`},
}

var partyCases = []stepCase{
	{sentence: "contract: customerNumber is BT-46 unless buyer.identifiers is given", step: identifiers,
		in: `{"customerNumber":"K-1","buyer":{}}`, out: `{"buyer":{"identifiers":[{"id":"K-1"}]}}`},
	{sentence: "contract: the first identifier replaces customerNumber, which stays to be missed", step: identifiers, in: `{"customerNumber":"K-1","buyer":{"identifiers":[{"id":"I"}]}}`},
	{sentence: "a customerNumber that is the identifier", step: identifiers,
		in: `{"customerNumber":"I","buyer":{"identifiers":[{"id":"I","schemeId":"0088"}]}}`, out: `{"buyer":{"identifiers":[{"id":"I","schemeId":"0088"}]}}`},
	{sentence: "contract: further buyer entries not written (FIELD_NOT_WRITTEN)", step: identifiers,
		in: `{"buyer":{"identifiers":[{"id":"a"},{"id":"b"},{"id":"c"}]}}`, out: `{"buyer":{"identifiers":[{"id":"a"}]}}`, says: []string{"FIELD_NOT_WRITTEN buyer.identifiers[1]"}},
	{sentence: "contract: of the payee only the first non-empty entry is written", step: identifiers,
		in: `{"payee":{"identifiers":[{"schemeId":"0088"},{"id":"a"},{"schemeId":"0060"},{"id":"b"}]}}`, out: `{"payee":{"identifiers":[{"id":"a"}]}}`, says: []string{"FIELD_NOT_WRITTEN payee.identifiers[3]"}},
	{sentence: "contract: every seller entry is BT-29", step: identifiers, in: `{"seller":{"identifiers":[{"id":"a"},{"id":"b"}]}}`},
	{sentence: "supplement §1.12: where no electronic address is given, the e-mail with scheme EM", step: electronicAddresses,
		in:  `{"seller":{"email":"s@a.example"},"buyer":{"contact":{"email":"b@a.example"}}}`,
		out: `{"seller":{"email":"s@a.example","electronicAddress":{"id":"s@a.example","schemeId":"EM"}},"buyer":{"contact":{"email":"b@a.example"},"electronicAddress":{"id":"b@a.example","schemeId":"EM"}}}`},
	{sentence: "supplement §1.12: never a made-up value", step: electronicAddresses, in: `{"seller":{"vatId":"DE1"},"buyer":{"electronicAddress":{"id":"1","schemeId":"0088"},"email":"b@a.example"},"payee":{"email":"p@a.example"}}`},
	{sentence: "supplement §1.12: phone and e-mail of the contact fall back to those of the party", step: contacts,
		in:  `{"seller":{"phone":"1","email":"s@a.example"},"buyer":{"phone":"2","contact":{"name":"N","phone":"2"}}}`,
		out: `{"seller":{"contact":{"phone":"1","email":"s@a.example"}},"buyer":{"contact":{"name":"N","phone":"2"}}}`},
	{sentence: "a party's phone beside another one of its contact stays to be missed", step: contacts, in: `{"seller":{"phone":"1","contact":{"phone":"2"}}}`},
	{sentence: "a party's e-mail beside another one of its contact is the electronic address", step: contacts,
		in:  `{"seller":{"email":"s@a.example","electronicAddress":{"id":"s@a.example","schemeId":"EM"},"contact":{"email":"c@a.example"}}}`,
		out: `{"seller":{"electronicAddress":{"id":"s@a.example","schemeId":"EM"},"contact":{"email":"c@a.example"}}}`},
	{sentence: "contract: name or department of the contact", step: contacts, in: `{"seller":{"contact":{"department":"D"}}}`, out: `{"seller":{"contact":{"name":"D"}}}`},
	{sentence: "contract: if both, the name is used", step: contacts, in: `{"seller":{"contact":{"name":"N","department":"D"}}}`},
	{sentence: "no contact out of nothing", step: contacts, in: `{"seller":{"name":"S"},"buyer":{}}`},
	{sentence: "supplement §1.12: contact name falls back to the party name (BR-DE-5)", step: sellerContact,
		in: `{"seller":{"name":"S"},"buyer":{"name":"B"}}`, out: `{"seller":{"name":"S","contact":{"name":"S"}},"buyer":{"name":"B"}}`},
	{sentence: "a contact name of the caller's own", step: sellerContact, in: `{"seller":{"name":"S","contact":{"name":"N"}}}`},
	{sentence: "no seller", step: sellerContact, in: `{}`},
	{sentence: "contract: for a seller with no identifiers, no BT-30 and no BT-31, taxId is written as BT-29", step: sellerIdentifier,
		in: `{"seller":{"taxId":"12/3"}}`, out: `{"seller":{"taxId":"12/3","identifiers":[{"id":"12/3"}]}}`, says: []string{"SELLER_IDENTIFIER_DERIVED seller.taxId"}},
	{sentence: "contract: vatId, where BT-31 must not be written (BR-O-02)", step: sellerIdentifier,
		in:   `{"seller":{"vatId":"DE1","taxId":"12/3"},"taxSummary":[{"taxCategoryCode":"O"}]}`,
		out:  `{"seller":{"taxId":"12/3","identifiers":[{"id":"DE1"}]},"taxSummary":[{"taxCategoryCode":"O"}]}`,
		says: []string{"SELLER_IDENTIFIER_DERIVED seller.vatId"}},
	{sentence: "with BT-31 nothing is derived", step: sellerIdentifier, in: `{"seller":{"vatId":"DE1","taxId":"12/3"},"taxSummary":[{"taxCategoryCode":"O"},{"taxCategoryCode":"S"}]}`},
	{sentence: "with BT-30 nothing is derived", step: sellerIdentifier, in: `{"seller":{"registrationNumber":"HRB 1","taxId":"12/3"}}`},
	{sentence: "with BT-29 nothing is derived", step: sellerIdentifier, in: `{"seller":{"identifiers":[{"id":"1"}],"taxId":"12/3"}}`},
	{sentence: "without any number nothing is derived", step: sellerIdentifier, in: `{"seller":{"name":"S"}}`},
}
