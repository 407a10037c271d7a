package verifactu

import "slices"

// Declaration is the responsible declaration of the producer (RD 1007/2023, art. 13), with the letters of art. 15 of Orden HAC/1177/2024.
type Declaration struct {
	Producer     DeclaredProducer `json:"producer"`
	Software     DeclaredSoftware `json:"software"`
	Installation string           `json:"installation"`
	Sending      bool             `json:"sending"` // records of business are sent to the tax office
	Statement    string           `json:"statement"`
	Place        string           `json:"place"`
	Date         string           `json:"date"` // YYYY-MM-DD
}

// DeclaredProducer is letters h to j, and the annex.
type DeclaredProducer struct {
	Name    string `json:"name"`
	NIF     string `json:"nif"`
	Address string `json:"address"`
	Contact string `json:"contact"`
	Website string `json:"website"`
}

// DeclaredSoftware is letters a to g.
type DeclaredSoftware struct {
	Name             string `json:"name"`
	ID               string `json:"id"`
	Version          string `json:"version"`
	Components       string `json:"components"`
	OnlyVerifactu    bool   `json:"onlyVerifactu"`
	SeveralTaxpayers bool   `json:"severalTaxpayers"`
	SignatureKinds   string `json:"signatureKinds"`
}

// Declaration is what the producer declares.
func (c *Installation) Declaration() Declaration {
	p, s := c.Producer, c.Software
	return Declaration{Producer: DeclaredProducer{p.Name, p.NIF, p.Address, p.Contact, p.Website}, Installation: c.Installation, Sending: c.Sends(true), Statement: c.Statement, Place: c.Place, Date: c.Date,
		Software: DeclaredSoftware{s.Name, s.ID, s.Version, s.Components, s.OnlyVerifactu, s.SeveralUsers, s.SignatureKinds}}
}

// Line is a line of the printed declaration.
type Line struct {
	Label string `json:"label"` // letter of the order, and what it is
	Value string `json:"value"`
}

// Lines are the lines of the printed declaration, in the order of the letters. What is not declared has none.
func (d *Declaration) Lines() []Line {
	lines := []Line{
		{"a) Nombre del sistema informático", d.Software.Name},
		{"b) Código identificador", d.Software.ID},
		{"c) Versión", d.Software.Version},
		{"d) Componentes y funcionalidades", d.Software.Components},
		{"e) Funciona exclusivamente como VERI*FACTU", spanishYesNo(d.Software.OnlyVerifactu)},
		{"f) Permite su uso por varios obligados tributarios", spanishYesNo(d.Software.SeveralTaxpayers)},
		{"g) Tipos de firma si no es VERI*FACTU", d.Software.SignatureKinds},
		{"h) Productor", d.Producer.Name},
		{"i) NIF del productor", d.Producer.NIF},
		{"j) Dirección postal del productor", d.Producer.Address},
		{"k) Declaración", d.Statement},
		{"l) Lugar y fecha", d.Place + ", " + spanishDate(d.Date)},
		{"Instalación", d.Installation},
		{"Contacto", d.Producer.Contact},
		{"Sitio web", d.Producer.Website},
	}
	if !d.Sending {
		lines = append(lines, Line{"Remisión a la AEAT", "Esta instalación no remite registros: quedan pendientes en la cadena."})
	}
	return slices.DeleteFunc(lines, func(l Line) bool { return l.Value == "" })
}

func spanishYesNo(yes bool) string {
	if yes {
		return "Sí"
	}
	return "No"
}
