// Package official names the rule sets of the publishers and finds their files, for tests and measurements.
package official

// Set is an official rule set with the two forms that it is published in. Module and path are those of phive-rules; en16931 is the
// CEN's own release.
type Set struct {
	Name      string // as the verdicts of the corpus call it
	Source    string // module:path of the Schematron; empty where it is not to be had
	Compiled  string // module:path of the stylesheet
	Published bool   // the stylesheet is on Maven Central, so that it must be there
	Last      bool   // the publisher means the last of two parameters with one name
	Differs   string // the beginning of a line of the outline that the two forms do not share
}

// Sets lists the official rule sets.
var Sets = []Set{
	{Name: "en16931-ubl", Source: "en16931:ubl/schematron/EN16931-UBL-validation.sch", Compiled: "phive-rules-en16931:1.3.16/ubl/EN16931-UBL-validation.xslt", Published: true},
	{Name: "en16931-cii", Source: "en16931:cii/schematron/EN16931-CII-validation.sch", Compiled: "phive-rules-en16931:1.3.16/cii/EN16931-CII-validation.xslt", Published: true, Last: true},
	{Name: "en16931-ubl-1.3.15", Compiled: "phive-rules-en16931:1.3.15/ubl/EN16931-UBL-validation.xslt", Published: true},
	{Name: "en16931-cii-1.3.15", Compiled: "phive-rules-en16931:1.3.15/cii/EN16931-CII-validation.xslt", Published: true},
	{Name: "peppol-cen", Source: "phive-rules-peppol:openpeppol/2026.5/CEN-EN16931-UBL.sch", Compiled: "phive-rules-peppol:openpeppol/2026.5/xslt/CEN-EN16931-UBL.xslt", Published: true},
	{Name: "peppol-bis", Source: "phive-rules-peppol:openpeppol/2026.5/PEPPOL-EN16931-UBL.sch", Compiled: "phive-rules-peppol:openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL.xslt", Published: true},
	{Name: "peppol-sb", Source: "phive-rules-peppol:openpeppol/2026.5/PEPPOL-EN16931-UBL-SB.sch", Compiled: "phive-rules-peppol:openpeppol/2026.5/xslt/PEPPOL-EN16931-UBL-SB.xslt", Published: true},
	{Name: "xrechnung-ubl", Source: "phive-rules-xrechnung:3.0.2/ubl/XRechnung-UBL-validation.sch", Compiled: "phive-rules-xrechnung:3.0.2/XRechnung-UBL-validation.xslt", Published: true},
	{Name: "xrechnung-cii", Source: "phive-rules-xrechnung:3.0.2/cii/XRechnung-CII-validation.sch", Compiled: "phive-rules-xrechnung:3.0.2/XRechnung-CII-validation.xslt", Published: true},
	{Name: "fx-2.5.2-basic", Source: "phive-rules-zugferd:2.5.2/FACTUR-X_BASIC.sch", Compiled: "phive-rules-zugferd:2.5.2/FACTUR-X_BASIC.xslt", Published: true},
	{Name: "fx-2.4-basic", Source: "phive-rules-zugferd:2.4/FACTUR-X_BASIC.sch", Compiled: "phive-rules-zugferd:2.4/FACTUR-X_BASIC.xslt", Published: true},
	{Name: "fx-2.3.3-basic", Source: "phive-rules-zugferd:2.3.3/Factur-X_1.07.3_BASIC.sch", Compiled: "phive-rules-zugferd:2.3.3/Factur-X_1.07.3_BASIC.xslt", Published: true},
	{Name: "fx-2.5.2-en16931", Source: "phive-rules-zugferd:2.5.2/FACTUR-X_EN16931.sch", Compiled: "phive-rules-zugferd:2.5.2/FACTUR-X_EN16931.xslt", Published: true},
	{Name: "fx-2.4-en16931", Source: "phive-rules-zugferd:2.4/FACTUR-X_EN16931.sch", Compiled: "phive-rules-zugferd:2.4/FACTUR-X_EN16931.xslt", Published: true},
	{Name: "fx-2.3.3-en16931", Source: "phive-rules-zugferd:2.3.3/Factur-X_1.07.3_EN16931.sch", Compiled: "phive-rules-zugferd:2.3.3/Factur-X_1.07.3_EN16931.xslt", Published: true},
	{Name: "fx-2.5.2-extended", Source: "phive-rules-zugferd:2.5.2/FACTUR-X_EXTENDED.sch", Compiled: "phive-rules-zugferd:2.5.2/FACTUR-X_EXTENDED.xslt", Published: true},
	{Name: "fx-2.4-extended", Source: "phive-rules-zugferd:2.4/FACTUR-X_EXTENDED.sch", Compiled: "phive-rules-zugferd:2.4/FACTUR-X_EXTENDED.xslt", Published: true},
	{Name: "fx-2.3.3-extended", Source: "phive-rules-zugferd:2.3.3/Factur-X_1.07.3_EXTENDED.sch", Compiled: "phive-rules-zugferd:2.3.3/Factur-X_1.07.3_EXTENDED.xslt", Published: true},
	{Name: "cius-pt", Source: "phive-rules-cius-pt:2.1.1/urn_feap.gov.pt_CIUS-PT_2.1.1.sch", Compiled: "phive-rules-cius-pt:2.1.1/urn_feap.gov.pt_CIUS-PT_2.1.1.xslt", Published: true},
	{Name: "cius-ro", Source: "phive-rules-cius-ro:1.0.9/preprocessed/ROeFactura-UBL-validation-Invoice_v1.0.9.sch", Compiled: "phive-rules-cius-ro:1.0.9/ROeFactura-UBL-validation-Invoice_v1.0.9.xslt", Published: true},
	{Name: "hr-cius", Source: "phive-rules-eracun:1.0.3/HR-CIUS-EXT-EN16931-UBL.sch", Compiled: "phive-rules-eracun:1.0.3/HR-CIUS-EXT-EN16931-UBL.xslt", Published: true},
	{Name: "nl-ubl", Source: "phive-rules-simplerinvoicing:simplerinvoicing/2.0.3.13/si-ubl-2.0.3.13.sch", Compiled: "phive-rules-simplerinvoicing:simplerinvoicing/si-ubl-2.0.3.13.xslt"},
	{Name: "nl-gaccount", Source: "phive-rules-simplerinvoicing:simplerinvoicing/2.0.3.13/si-ubl-2.0-ext-gaccount-1.0.13.sch", Compiled: "phive-rules-simplerinvoicing:simplerinvoicing/si-ubl-2.0-ext-gaccount-1.0.13.xslt"},
	{Name: "nl-cii", Source: "phive-rules-simplerinvoicing:nlcius/1.0.3.13/nlcius-cii-1.0.3.13.sch", Compiled: "phive-rules-simplerinvoicing:nlcius/nlcius-cii-1.0.3.13.xslt"},
	{Name: "be", Source: "phive-rules-ublbe:en16931/v1.31/GLOBALUBL.BE.sch", Compiled: "phive-rules-ublbe:ublbe/en16931/v1.31/GLOBALUBL.BE.xslt", Published: true},
	{Name: "pint-ae-base", Source: "phive-rules-peppol-pint:pint-ae/2026.5/billing/PINT-UBL-validation-preprocessed.sch", Compiled: "phive-rules-peppol-pint:pint-ae/2026.5/billing/PINT-UBL-validation-preprocessed.xslt", Published: true},
	{Name: "pint-ae", Source: "phive-rules-peppol-pint:pint-ae/2026.5/billing/PINT-jurisdiction-aligned-rules.sch", Compiled: "phive-rules-peppol-pint:pint-ae/2026.5/billing/PINT-jurisdiction-aligned-rules.xslt", Published: true},
	{Name: "pint-ae-sb-base", Source: "phive-rules-peppol-pint:pint-ae/2026.5/selfbilling/PINT-UBL-validation-preprocessed.sch", Compiled: "phive-rules-peppol-pint:pint-ae/2026.5/selfbilling/PINT-UBL-validation-preprocessed.xslt", Published: true},
	{Name: "pint-ae-sb", Source: "phive-rules-peppol-pint:pint-ae/2026.5/selfbilling/PINT-jurisdiction-aligned-rules.sch", Compiled: "phive-rules-peppol-pint:pint-ae/2026.5/selfbilling/PINT-jurisdiction-aligned-rules.xslt", Published: true},
	{Name: "pint-aunz-base", Source: "phive-rules-peppol-pint:pint-aunz/1.1.3/billing/PINT-UBL-validation-preprocessed.sch", Compiled: "phive-rules-peppol-pint:pint-aunz/1.1.3/xslt/billing/PINT-UBL-validation-preprocessed.xslt"},
	{Name: "pint-aunz", Source: "phive-rules-peppol-pint:pint-aunz/1.1.3/billing/PINT-jurisdiction-aligned-rules.sch", Compiled: "phive-rules-peppol-pint:pint-aunz/1.1.3/xslt/billing/PINT-jurisdiction-aligned-rules.xslt"},
	{Name: "pint-aunz-sb-base", Source: "phive-rules-peppol-pint:pint-aunz/1.1.3/selfbilling/PINT-UBL-validation-preprocessed.sch", Compiled: "phive-rules-peppol-pint:pint-aunz/1.1.3/xslt/selfbilling/PINT-UBL-validation-preprocessed.xslt"},
	{Name: "pint-aunz-sb", Source: "phive-rules-peppol-pint:pint-aunz/1.1.3/selfbilling/PINT-jurisdiction-aligned-rules.sch", Compiled: "phive-rules-peppol-pint:pint-aunz/1.1.3/xslt/selfbilling/PINT-jurisdiction-aligned-rules.xslt"},
	{Name: "pint-jp-base", Source: "phive-rules-peppol-pint:pint-jp/1.1.3/PINT-UBL-validation-preprocessed.sch", Compiled: "phive-rules-peppol-pint:pint-jp/1.1.3/xslt/PINT-UBL-validation-preprocessed.xslt"},
	{Name: "pint-jp", Source: "phive-rules-peppol-pint:pint-jp/1.1.3/PINT-jurisdiction-aligned-rules.sch", Compiled: "phive-rules-peppol-pint:pint-jp/1.1.3/xslt/PINT-jurisdiction-aligned-rules.xslt"},
	{Name: "pint-jp-ntr-base", Source: "phive-rules-peppol-pint:pint-jp-ntr/1.1.3/PINT-UBL-validation-preprocessed.sch", Compiled: "phive-rules-peppol-pint:pint-jp-ntr/1.1.3/xslt/PINT-UBL-validation-preprocessed.xslt"},
	{Name: "pint-jp-ntr", Source: "phive-rules-peppol-pint:pint-jp-ntr/1.1.3/PINT-jurisdiction-aligned-rules.sch", Compiled: "phive-rules-peppol-pint:pint-jp-ntr/1.1.3/xslt/PINT-jurisdiction-aligned-rules.xslt"},
	{Name: "pint-jp-sb-base", Source: "phive-rules-peppol-pint:pint-jp-sb/1.1.3/PINT-UBL-validation-preprocessed.sch", Compiled: "phive-rules-peppol-pint:pint-jp-sb/1.1.3/xslt/PINT-UBL-validation-preprocessed.xslt"},
	{Name: "pint-jp-sb", Source: "phive-rules-peppol-pint:pint-jp-sb/1.1.3/PINT-jurisdiction-aligned-rules.sch", Compiled: "phive-rules-peppol-pint:pint-jp-sb/1.1.3/xslt/PINT-jurisdiction-aligned-rules.xslt"},
	{Name: "pint-om-base", Source: "phive-rules-peppol-pint:pint-om/1.0.1/billing/PINT-UBL-validation-preprocessed.sch", Compiled: "phive-rules-peppol-pint:pint-om/1.0.1/billing/PINT-UBL-validation-preprocessed.xslt"},
	{Name: "pint-om", Source: "phive-rules-peppol-pint:pint-om/1.0.1/billing/PINT-jurisdiction-aligned-rules.sch", Compiled: "phive-rules-peppol-pint:pint-om/1.0.1/billing/PINT-jurisdiction-aligned-rules.xslt", Differs: "diagnostic d-IBR-171:"},
	{Name: "pint-om-sb-base", Source: "phive-rules-peppol-pint:pint-om/1.0.1/selfbilling/PINT-UBL-validation-preprocessed.sch", Compiled: "phive-rules-peppol-pint:pint-om/1.0.1/selfbilling/PINT-UBL-validation-preprocessed.xslt"},
	{Name: "pint-om-sb", Source: "phive-rules-peppol-pint:pint-om/1.0.1/selfbilling/PINT-jurisdiction-aligned-rules.sch", Compiled: "phive-rules-peppol-pint:pint-om/1.0.1/selfbilling/PINT-jurisdiction-aligned-rules.xslt", Differs: "diagnostic d-IBR-171:"},
	{Name: "fr-br-ubl", Source: "phive-rules-france:ctc/1.4.0.03/20260804_BR-FR-Flux2-Schematron-UBL_V1.4.0.03.sch", Compiled: "phive-rules-france:ctc/1.4.0.03/xslt/20260804_BR-FR-Flux2-Schematron-UBL_V1.4.0.03.xslt"},
	{Name: "fr-br-cii", Source: "phive-rules-france:ctc/1.4.0.03/20260804_BR-FR-Flux2-Schematron-CII_V1.4.0.03.sch", Compiled: "phive-rules-france:ctc/1.4.0.03/xslt/20260804_BR-FR-Flux2-Schematron-CII_V1.4.0.03.xslt"},
	{Name: "fr-ext-ubl", Source: "phive-rules-france:ctc/1.4.0.03/20260804_EXTENDED-CTC-FR-UBL-V1.4.0.03.sch", Compiled: "phive-rules-france:ctc/1.4.0.03/xslt/20260804_EXTENDED-CTC-FR-UBL-V1.4.0.03.xslt"},
	{Name: "fr-ext-cii", Source: "phive-rules-france:ctc/1.4.0.03/20260804_EXTENDED-CTC-FR-CII-V1.4.0.03.sch", Compiled: "phive-rules-france:ctc/1.4.0.03/xslt/20260804_EXTENDED-CTC-FR-CII-V1.4.0.03.xslt"},
	{Name: "fr-f1-ubl-start", Source: "phive-rules-france:flux1/0.2/PPF_Flux1_UBL_1_8_DEMARRAGE_v0_2.sch", Compiled: "phive-rules-france:flux1/0.2/xslt/PPF_Flux1_UBL_1_8_DEMARRAGE_v0_2.xslt"},
	{Name: "fr-f1-ubl-target", Source: "phive-rules-france:flux1/0.2/PPF_Flux1_UBL_1_8_CIBLE_v0_2.sch", Compiled: "phive-rules-france:flux1/0.2/xslt/PPF_Flux1_UBL_1_8_CIBLE_v0_2.xslt"},
	{Name: "fr-f1-cii-start", Source: "phive-rules-france:flux1/0.2/PPF_Flux1_CII_1_8_DEMARRAGE_v0_2.sch", Compiled: "phive-rules-france:flux1/0.2/xslt/PPF_Flux1_CII_1_8_DEMARRAGE_v0_2.xslt"},
	{Name: "fr-f1-cii-target", Source: "phive-rules-france:flux1/0.2/PPF_Flux1_CII_1_8_CIBLE_v0_2.sch", Compiled: "phive-rules-france:flux1/0.2/xslt/PPF_Flux1_CII_1_8_CIBLE_v0_2.xslt"},
}
