package oracles

import "testing"

func TestAsInPhive_PlacesRulesCodeListsAndSchemas(t *testing.T) {
	for name, want := range map[string]string{
		"xslt/ZF_250/FACTUR-X_BASIC.xslt":              "external/schematron/2.5.2/FACTUR-X_BASIC.xslt",
		"xslt/ZF_250/FACTUR-X_BASIC_codedb.xml":        "external/schematron/2.5.2/FACTUR-X_BASIC_codedb.xml",
		"schema/ZF_250/EN16931/FACTUR-X_EN16931.xsd":   "external/schemas/2.5.2/en16931/FACTUR-X_EN16931.xsd",
		"schematron/ZF_250/FACTUR-X_BASIC.sch":         "", // the source
		"xslt/XR_30/XRechnung-CII-validation.xslt":     "", // of other publishers
		"org/mustangproject/validator/Validator.class": "",
		"zugferd2p0_en16931.sch":                       "",
	} {
		if got := asInPhive(name); got != want {
			t.Errorf("%s is placed at %q, want %q", name, got, want)
		}
	}
}
