package verifactu

import (
	"errors"
	"fmt"
	"net/url"
)

// What Installation.Sending may be: records stay here, or those of live keys go to the tax office. Test keys reach no network.
const (
	SendOff  = "off"
	SendLive = "live"
)

// TaxOffice says where records are sent, and with which certificate. The names of files are for who reads them.
type TaxOffice struct {
	Certificate string `yaml:"certificate"` // file in PEM: the certificate and those that lead to its authority, and the key where Key is empty
	Key         string `yaml:"key"`         // file in PEM
	Seal        bool   `yaml:"seal"`        // the certificate is the seal of an entity, for which the office has hosts of their own
	URL         string `yaml:"url"`         // default: the office's service
	Authorities string `yaml:"authorities"` // file in PEM with further authorities for the office's certificate
}

// The addresses of the service VerifactuSOAP, from the ports of SistemaFacturacion.wsdl: SistemaVerifactu and SistemaVerifactuSello.
const (
	servicePath = "/wlpl/TIKE-CONT/ws/SistemaFacturacion/VerifactuSOAP"
	service     = "https://www1.agenciatributaria.gob.es" + servicePath
	sealed      = "https://www10.agenciatributaria.gob.es" + servicePath
)

// Sends tells whether the records of keys of a mode are sent: of live keys where Sending is SendLive, of test keys never.
func (c *Installation) Sends(live bool) bool { return c != nil && live && c.Sending == SendLive }

// Address is where records are sent.
func (o *TaxOffice) Address() string {
	switch {
	case o.URL != "":
		return o.URL
	case o.Seal:
		return sealed
	}
	return service
}

func (c *Installation) sendingFaults() (faults []error) {
	switch c.Sending {
	case SendOff:
	case SendLive:
		if c.TaxOffice.Certificate == "" {
			faults = append(faults, errors.New("taxOffice.certificate is missing, and sending is not off"))
		}
	default:
		faults = append(faults, fmt.Errorf("sending is %q, allowed are off and live", c.Sending))
	}
	if at := c.TaxOffice.URL; at != "" {
		if u, err := url.Parse(at); err != nil || u.Scheme != "https" || u.Host == "" {
			faults = append(faults, errors.New("taxOffice.url must be an https address"))
		}
	}
	return faults
}
