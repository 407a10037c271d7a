// Package verifactu is the Spanish register of invoices: records of invoices and of cancellations, chained by hashes, as Orden HAC/1177/2024
// and the AEAT's schemas SuministroLR and SuministroInformacion 1.0 say, the QR code of registered invoices, and the declaration of the producer.
package verifactu

// Record is a registration of an invoice (RegistroAlta), or of its cancellation (RegistroAnulacion). Texts are as they stand in the XML:
// dates DD-MM-YYYY, amounts with a point and two decimals. The names of the elements are in the tables of this package.
type Record struct {
	Cancels bool // it is a cancellation, which has the members that say so, and those of both

	Version   string // IDVersion
	Invoice   InvoiceID
	Reference string // RefExterna

	IssuerName  string // from here to Total: of an invoice alone
	Corrects    string // Subsanacion: S where it corrects a record
	Rejected    string // RechazoPrevio, of both
	Type        string // TipoFactura: F1, F2, F3, R1 to R5
	Kind        string // TipoRectificativa: S by substitution, I by differences
	Rectified   []InvoiceID
	Replaced    []InvoiceID // simplified invoices that a F3 stands for
	Amended     *Amended    // ImporteRectificacion
	Operation   string      // FechaOperacion
	Description string      // DescripcionOperacion
	Simplified  string      // FacturaSimplificadaArt7273
	Unnamed     string      // FacturaSinIdentifDestinatarioArt61d
	Large       string      // Macrodato: S from 100 million on
	IssuedBy    string      // EmitidaPorTerceroODestinatario: D the recipient, T a third party
	ThirdParty  *Party
	Recipients  []Party
	Coupon      string
	Details     []Detail
	Tax         string // CuotaTotal
	Total       string // ImporteTotal

	Unregistered string // SinRegistroPrevio, of a cancellation
	CanceledBy   string // GeneradoPor
	Canceler     *Party // Generador

	First     string    // PrimerRegistro: S where the chain begins here
	Previous  *Previous // the record before; nil for the first
	System    System
	Generated string // FechaHoraHusoGenRegistro, ISO 8601 with an offset
	Agreement string // NumRegistroAcuerdoFacturacion
	SystemOK  string // IdAcuerdoSistemaInformatico
	HashType  string // TipoHuella: 01, SHA-256
	Hash      string // Huella: 64 hexadecimal digits in upper case
}

// InvoiceID names an invoice.
type InvoiceID struct {
	Issuer string // NIF
	Number string // series and number, 1 to 60 characters
	Date   string // DD-MM-YYYY
}

// Previous names the record before, in the chain.
type Previous struct {
	InvoiceID
	Hash string
}

// Amended are the amounts that a correction by substitution replaces.
type Amended struct{ Base, Tax, Surcharge string }

// Party is a person with a NIF or another number.
type Party struct {
	Name  string
	NIF   string
	Other *OtherID
}

// OtherID is a number that is no NIF (IDOtro).
type OtherID struct {
	Country string
	Type    string // 02 to 07
	ID      string
}

// Detail is what is taxed at one rate, or not taxed for one reason (DetalleDesglose).
type Detail struct {
	Tax           string // Impuesto: 01 IVA, 02 IPSI, 03 IGIC, 05 another
	Regime        string // ClaveRegimen
	Qualifier     string // CalificacionOperacion: S1, S2, N1, N2
	Exemption     string // OperacionExenta: E1 to E8
	Rate          string
	Base          string
	BaseAtCost    string
	Amount        string // CuotaRepercutida
	SurchargeRate string
	Surcharge     string
}

// System is the software that makes the records, and who has made it (SistemaInformatico).
type System struct {
	Producer      Party
	Name          string
	ID            string // two characters
	Version       string
	Installation  string // NumeroInstalacion
	OnlyVerifactu string // S or N, as the next two
	SeveralUsers  string // TipoUsoPosibleMultiOT
	ServesSeveral string // IndicadorMultiplesOT
}

// Batch is a submission of records (RegFactuSistemaFacturacion): who issues the invoices, and 1 to 1,000 records.
type Batch struct {
	Issuer  Party // name and NIF
	Delayed bool  // an incident has delayed it: Incidencia of RemisionVoluntaria
	Records []*Record
}

// MostRecords is how many records a batch has at most.
const MostRecords = 1000
