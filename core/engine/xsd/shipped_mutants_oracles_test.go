//go:build oracles

package xsd

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/internal/corpus"
)

// mutantSources are the folders of the corpus whose documents are changed, by the beginning of the schema's name.
var mutantSources = map[string][]string{
	"ubl-invoice":    {"peppol", "xr-ubl", "en-ubl"},
	"ubl-creditnote": {"xr-ubl", "pt", "fr-ubl"},
	"cii-d16b":       {"xr-cii", "en-cii", "nl-cii"},
	"fx":             {"fx-basic", "fx-en16931", "fx-extended"},
}

// mutantsOfEach is how many changes each mutation makes to each document, documentsOfEach to how many documents of a folder.
const mutantsOfEach, documentsOfEach = 4, 30

// TestOfficial_ShippedSchemasJudgeMutantsAlike ensures that the schemas that ship and the official ones find the same violations
// at the same places in documents changed at random.
func TestOfficial_ShippedSchemasJudgeMutantsAlike(t *testing.T) {
	official := newOfficialFiles(t)
	for _, name := range slices.Sorted(maps.Keys(shippedSchemas)) {
		want := official.schema(name)
		if want == nil {
			continue
		}
		m := mutants{t: t, ours: shippedSchema(t, name), official: want, parser: newParser(t, xmltree.Options{}), random: rand.New(rand.NewPCG(1, 1))}
		kind := name
		if strings.HasPrefix(name, "fx") {
			kind = "fx"
		}
		for _, set := range mutantSources[kind] {
			m.set(filepath.Join(corpus.Shared(), "corpus", set), strings.TrimPrefix(name, "ubl-"))
		}
		if name == "ubl-invoice" {
			for range documentsOfEach {
				m.document("signed", []byte(signedInvoice))
			}
		}
		t.Logf("%s: %d mutants, %d of them valid", name, m.judged, m.valid)
		if m.judged < 500 || m.valid == 0 || m.valid == m.judged {
			t.Errorf("%s: %d mutants, %d of them valid", name, m.judged, m.valid)
		}
	}
}

// mutants compares two schemas on documents that it changes.
type mutants struct {
	t              *testing.T
	ours, official *Schema
	parser         *xmltree.Parser
	random         *rand.Rand
	judged, valid  int
}

// set takes documents of a folder. Those of UBL must have the document element that the kind names.
func (m *mutants) set(dir, kind string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.xml"))
	if err != nil || len(files) == 0 {
		m.t.Fatalf("no documents in %s: %v", dir, err)
	}
	taken := 0
	for _, i := range m.random.Perm(len(files)) {
		doc, err := parseFile(m.t, m.parser, os.DirFS(dir), filepath.Base(files[i]))
		if err != nil || taken == documentsOfEach || (kind == "invoice" || kind == "creditnote") && !strings.EqualFold(doc.Local(doc.Root()), kind) {
			continue
		}
		taken++
		m.document(filepath.Base(files[i]), doc.Source())
	}
}

func (m *mutants) document(name string, data []byte) {
	all := spans(m.t, data)
	for _, kind := range slices.Sorted(maps.Keys(mutations)) {
		for range mutantsOfEach {
			at := all[m.random.IntN(len(all)-1)+1] // not the document element
			m.judge(name+" "+kind, mutations[kind](m.random, slices.Clone(data), all, at))
		}
	}
}

func (m *mutants) judge(name string, data []byte) {
	doc, err := m.parser.Parse(data)
	if err != nil {
		return
	}
	m.judged++
	ours, official := validate(m.t, m.ours, doc), validate(m.t, m.official, doc)
	if len(official) == 0 {
		m.valid++
	}
	if a, b := outline(ours), outline(official); a != b {
		m.t.Errorf("%s:\n%s\nwant\n%s\n%.2000s", name, a, b, data)
	}
}

// signedInvoice has a signature in an extension, with most of what XML Signature and XAdES know.
const signedInvoice = `<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
 xmlns:ext="urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:x="http://uri.etsi.org/01903/v1.3.2#">
<ext:UBLExtensions><ext:UBLExtension><cbc:ID>1</cbc:ID><ext:ExtensionAgencyID>a</ext:ExtensionAgencyID><ext:ExtensionContent>
<s:UBLDocumentSignatures xmlns:s="urn:oasis:names:specification:ubl:schema:xsd:CommonSignatureComponents-2">
<i:SignatureInformation xmlns:i="urn:oasis:names:specification:ubl:schema:xsd:SignatureAggregateComponents-2"><cbc:ID>1</cbc:ID>
<b:ReferencedSignatureID xmlns:b="urn:oasis:names:specification:ubl:schema:xsd:SignatureBasicComponents-2">S</b:ReferencedSignatureID>
<ds:Signature Id="i1"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="urn:c">text</ds:CanonicalizationMethod>
<ds:SignatureMethod Algorithm="urn:m"><ds:HMACOutputLength>128</ds:HMACOutputLength></ds:SignatureMethod>
<ds:Reference URI="#i2" Type="urn:t"><ds:Transforms><ds:Transform Algorithm="urn:x">a<ds:XPath>/a</ds:XPath></ds:Transform></ds:Transforms>
<ds:DigestMethod Algorithm="urn:d"/><ds:DigestValue>QUJD</ds:DigestValue></ds:Reference></ds:SignedInfo>
<ds:SignatureValue>QUJD</ds:SignatureValue><ds:KeyInfo><ds:KeyName>k</ds:KeyName>
<ds:KeyValue><ds:DSAKeyValue><ds:P>QUJD</ds:P><ds:Q>QUJD</ds:Q><ds:Y>QUJD</ds:Y></ds:DSAKeyValue></ds:KeyValue>
<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>QUJD</ds:Modulus><ds:Exponent>QUJD</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>
<ds:X509Data><ds:X509IssuerSerial><ds:X509IssuerName>n</ds:X509IssuerName><ds:X509SerialNumber>1</ds:X509SerialNumber></ds:X509IssuerSerial>
<ds:X509Certificate>QUJD</ds:X509Certificate></ds:X509Data><ds:PGPData><ds:PGPKeyID>QUJD</ds:PGPKeyID><ds:PGPKeyPacket>QUJD</ds:PGPKeyPacket></ds:PGPData>
<ds:SPKIData><ds:SPKISexp>QUJD</ds:SPKISexp></ds:SPKIData><ds:MgmtData>m</ds:MgmtData></ds:KeyInfo>
<ds:Object><x:QualifyingProperties Target="#i1"><x:SignedProperties Id="i2"><x:SignedSignatureProperties><x:SigningTime>2024-02-29T12:00:00Z</x:SigningTime>
<x:SigningCertificate><x:Cert URI="urn:c"><x:CertDigest><ds:DigestMethod Algorithm="urn:d"/><ds:DigestValue>QUJD</ds:DigestValue></x:CertDigest>
<x:IssuerSerial><ds:X509IssuerName>n</ds:X509IssuerName><ds:X509SerialNumber>1</ds:X509SerialNumber></x:IssuerSerial></x:Cert></x:SigningCertificate>
<x:SignaturePolicyIdentifier><x:SignaturePolicyId><x:SigPolicyId><x:Identifier Qualifier="OIDAsURN">urn:p</x:Identifier><x:Description>d</x:Description></x:SigPolicyId>
<x:SigPolicyHash><ds:DigestMethod Algorithm="urn:d"/><ds:DigestValue>QUJD</ds:DigestValue></x:SigPolicyHash></x:SignaturePolicyId></x:SignaturePolicyIdentifier>
<x:SignerRole><x:ClaimedRoles><x:ClaimedRole>seller</x:ClaimedRole></x:ClaimedRoles></x:SignerRole></x:SignedSignatureProperties>
<x:SignedDataObjectProperties><x:DataObjectFormat ObjectReference="#i2"><x:MimeType>text/xml</x:MimeType></x:DataObjectFormat></x:SignedDataObjectProperties></x:SignedProperties>
<x:UnsignedProperties><x:UnsignedSignatureProperties><x:SignatureTimeStamp Id="i3"><ds:CanonicalizationMethod Algorithm="urn:c"/>
<x:EncapsulatedTimeStamp>QUJD</x:EncapsulatedTimeStamp></x:SignatureTimeStamp><x:CertificateValues><x:EncapsulatedX509Certificate>QUJD</x:EncapsulatedX509Certificate></x:CertificateValues>
<x:RevocationValues><x:CRLValues><x:EncapsulatedCRLValue>QUJD</x:EncapsulatedCRLValue></x:CRLValues></x:RevocationValues>
<y:TimeStampValidationData xmlns:y="http://uri.etsi.org/01903/v1.4.1#" Id="i4"/></x:UnsignedSignatureProperties></x:UnsignedProperties></x:QualifyingProperties></ds:Object>
</ds:Signature></i:SignatureInformation></s:UBLDocumentSignatures></ext:ExtensionContent></ext:UBLExtension></ext:UBLExtensions>
<cbc:ID>1</cbc:ID><cbc:IssueDate>2024-02-29</cbc:IssueDate></Invoice>`
