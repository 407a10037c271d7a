package verifactu

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Installation is the configuration of who runs the service for Spanish invoices: the system that makes the records, and what its producer declares
// (RD 1007/2023, art. 13; Orden HAC/1177/2024, art. 15).
type Installation struct {
	Producer struct {
		Name    string `yaml:"name" json:"name"`
		NIF     string `yaml:"nif" json:"nif"`
		Address string `yaml:"address" json:"address"`
		Contact string `yaml:"contact" json:"contact"`
		Website string `yaml:"website" json:"website"`
	} `yaml:"producer"`
	Software struct {
		Name           string `yaml:"name" json:"name"`
		ID             string `yaml:"id" json:"id"`
		Version        string `yaml:"version" json:"version"`
		Components     string `yaml:"components" json:"components"`
		OnlyVerifactu  bool   `yaml:"onlyVerifactu" json:"onlyVerifactu"`
		SeveralUsers   bool   `yaml:"severalTaxpayers" json:"severalTaxpayers"`
		SignatureKinds string `yaml:"signatureKinds" json:"signatureKinds"`
	} `yaml:"software"`
	Installation string `yaml:"installation"`
	// ServesSeveral says that the installation is used for several taxpayers now (IndicadorMultiplesOT).
	ServesSeveral bool   `yaml:"servesSeveralTaxpayers"`
	Statement     string `yaml:"statement"`
	Place         string `yaml:"place"`
	Date          string `yaml:"date"` // YYYY-MM-DD

	// Sending says whose records go to the tax office: SendOff or SendLive. Default: SendOff.
	Sending   string    `yaml:"sending"`
	TaxOffice TaxOffice `yaml:"taxOffice"`
}

// statement is what a producer declares who has no words of their own: that the system complies with the rules that art. 15 of the order names.
const statement = "El productor declara que el sistema informático, en la versión indicada, cumple lo dispuesto en el artículo 29.2.j) de la Ley 58/2003, General Tributaria, " +
	"en el reglamento aprobado por el Real Decreto 1007/2023, en la Orden HAC/1177/2024 y en las especificaciones que la completan."

// Load reads the configuration from YAML. The error names each member that is missing, too long or unknown.
func Load(text []byte) (*Installation, error) {
	c := &Installation{}
	c.Software.OnlyVerifactu = true
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(c); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the VeriFactu configuration: %w", err)
	}
	if c.Statement == "" {
		c.Statement = statement
	}
	if c.Sending == "" {
		c.Sending = SendOff
	}
	if err := errors.Join(append(c.faults(), c.sendingFaults()...)...); err != nil {
		return nil, fmt.Errorf("read the VeriFactu configuration: %w", err)
	}
	c.Producer.NIF = NIF(c.Producer.NIF)
	return c, nil
}

func (c *Installation) faults() (faults []error) {
	for _, m := range []struct {
		name, value string
		most        int // characters; 0 for any number
	}{
		{"producer.name", c.Producer.Name, mostName}, {"producer.nif", c.Producer.NIF, 0}, {"producer.address", c.Producer.Address, 0}, {"software.name", c.Software.Name, 30},
		{"software.id", c.Software.ID, 2}, {"software.version", c.Software.Version, 50}, {"software.components", c.Software.Components, 0}, {"installation", c.Installation, 100},
		{"place", c.Place, 0}, {"date", c.Date, 0},
	} {
		if strings.TrimSpace(m.value) == "" {
			faults = append(faults, fmt.Errorf("%s is missing", m.name))
		} else if n := utf8.RuneCountInString(m.value); m.most > 0 && n > m.most {
			faults = append(faults, fmt.Errorf("%s has %d characters, allowed are %d", m.name, n, m.most))
		}
	}
	if c.Producer.NIF != "" && NIF(c.Producer.NIF) == "" {
		faults = append(faults, errors.New("producer.nif is no Spanish NIF"))
	}
	if _, err := time.Parse(time.DateOnly, c.Date); c.Date != "" && err != nil {
		faults = append(faults, errors.New("date is no date YYYY-MM-DD"))
	}
	if !c.Software.OnlyVerifactu {
		faults = append(faults, errors.New("software.onlyVerifactu must be true: this service has no mode but VERI*FACTU"))
	}
	return slices.DeleteFunc(faults, func(err error) bool { return err == nil })
}

// System is the system as records have it.
func (c *Installation) System() System {
	return System{Producer: Party{Name: c.Producer.Name, NIF: c.Producer.NIF}, Name: c.Software.Name, ID: c.Software.ID, Version: c.Software.Version, Installation: c.Installation,
		OnlyVerifactu: yesNo(c.Software.OnlyVerifactu), SeveralUsers: yesNo(c.Software.SeveralUsers), ServesSeveral: yesNo(c.ServesSeveral)}
}

// yesNo is S or N.
func yesNo(yes bool) string {
	if yes {
		return "S"
	}
	return "N"
}
