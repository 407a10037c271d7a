package verifactu

import (
	"errors"
	"fmt"
	"net/url"
)

// What Installation.Sending may be: records stay here, or those of test keys, of live keys or of both go to the tax office.
const (
	SendOff  = "off"
	SendTest = "test"
	SendLive = "live"
	SendBoth = "both"
)

// TaxOffice says where records are sent, and with which certificate. The names of files are for who reads them.
type TaxOffice struct {
	Certificate string `yaml:"certificate"` // file in PEM: the certificate and those that lead to its authority, and the key where Key is empty
	Key         string `yaml:"key"`         // file in PEM
	Seal        bool   `yaml:"seal"`        // the certificate is the seal of an entity, for which the office has hosts of their own
	LiveURL     string `yaml:"liveUrl"`     // default: the office's service
	TestURL     string `yaml:"testUrl"`     // default: the office's service for tests
	Authorities string `yaml:"authorities"` // file in PEM with further authorities for the office's certificate
}

// The addresses of the service VerifactuSOAP, from the ports of SistemaFacturacion.wsdl: SistemaVerifactu, SistemaVerifactuSello, and the same with Pruebas.
const (
	servicePath = "/wlpl/TIKE-CONT/ws/SistemaFacturacion/VerifactuSOAP"
	liveService = "https://www1.agenciatributaria.gob.es" + servicePath
	liveSealed  = "https://www10.agenciatributaria.gob.es" + servicePath
	testService = "https://prewww1.aeat.es" + servicePath
	testSealed  = "https://prewww10.aeat.es" + servicePath
)

// Sends tells whether the records of live keys, or those of test keys, are sent.
func (c *Installation) Sends(live bool) bool {
	if c == nil {
		return false
	}
	return c.Sending == SendBoth || c.Sending == SendLive && live || c.Sending == SendTest && !live
}

// SendsAny tells whether any records are sent.
func (c *Installation) SendsAny() bool { return c.Sends(true) || c.Sends(false) }

// Address is where records of live keys, or those of test keys, are sent.
func (o *TaxOffice) Address(live bool) string {
	switch {
	case live && o.LiveURL != "":
		return o.LiveURL
	case !live && o.TestURL != "":
		return o.TestURL
	case live && o.Seal:
		return liveSealed
	case live:
		return liveService
	case o.Seal:
		return testSealed
	}
	return testService
}

func (c *Installation) sendingFaults() (faults []error) {
	switch c.Sending {
	case SendOff:
	case SendTest, SendLive, SendBoth:
		if c.TaxOffice.Certificate == "" {
			faults = append(faults, errors.New("taxOffice.certificate is missing, and sending is not off"))
		}
	default:
		faults = append(faults, fmt.Errorf("sending is %q, allowed are off, test, live, both", c.Sending))
	}
	for _, m := range []struct{ name, value string }{{"liveUrl", c.TaxOffice.LiveURL}, {"testUrl", c.TaxOffice.TestURL}} {
		if u, err := url.Parse(m.value); m.value != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
			faults = append(faults, fmt.Errorf("taxOffice.%s must be an https address", m.name))
		}
	}
	if c.TaxOffice.LiveURL != "" && c.TaxOffice.LiveURL == c.TaxOffice.Address(false) {
		faults = append(faults, errors.New("taxOffice.liveUrl is where records of test keys go: they must not go to the same place"))
	}
	return faults
}
