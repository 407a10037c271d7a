package profile

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// nifForm is that of a NIF: of a person (DNI, NIE, K, L, M) or of an entity.
var nifForm = regexp.MustCompile(`^[0-9A-Z][0-9]{7}[0-9A-Z]$`)

// separators are what stands between the parts of a number.
var separators = strings.NewReplacer(" ", "", "-", "", ".", "")

// PlainNIF gives a number of a Spanish taxpayer without the country, in capitals and without blanks and hyphens. Other numbers stay as they
// are.
func PlainNIF(text string) string {
	if nifForm.MatchString(text) {
		return text
	}
	plain := strings.ToUpper(separators.Replace(text))
	if plain = strings.TrimPrefix(plain, "ES"); nifForm.MatchString(plain) {
		return plain
	}
	return text
}

// personOfNIF tells whether a NIF is that of a person: it begins with a digit, or with one of the letters of persons without a DNI.
func personOfNIF(nif string) bool {
	return nifForm.MatchString(nif) && strings.ContainsRune("0123456789KLMXYZ", rune(nif[0]))
}

// unionCountries are the states of the European Union, without Spain. Greece has EL in VAT identifiers.
var unionCountries = strings.Fields("AT BE BG CY CZ DE DK EE FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK")

// SpanishResidence is R for Spain, U for another country of the Union, and E for others (ResidenceTypeCode).
func SpanishResidence(country string) string {
	switch {
	case country == "ES":
		return "R"
	case slices.Contains(unionCountries, country):
		return "U"
	}
	return "E"
}

// facturaeCountries are the countries that Facturae has (CountryType of 3.2 to 3.2.2).
var facturaeCountries = strings.Fields("AFG ALB DZA ASM AND AGO AIA ATG ARG ARM ABW AUS AUT AZE BHS BHR BGD BRB BLR BEL BLZ BEN BMU BTN BOL BIH BWA BRA BRN BGR BFA BDI KHM CMR " +
	"CAN CPV CYM CAF TCD CHL CHN COD COL COM COG COK CRI CIV HRV CUB CYP CZE DNK DJI DMA DOM ECU EGY SLV GNQ ERI EST ETH FLK FRO FJI FIN FRA GUF PYF GAB GMB GEO GGY DEU GHA GIB " +
	"GRC GRL GRD GLP GUM GTM GIN GNB GUY HTI HND HKG HUN ISL IND IDN IMN IRN IRQ IRL ISR ITA JAM JEY JPN JOR KAZ KEN KIR PRK KOR KWT KGZ LAO LVA LBN LSO LBR LBY LIE LTU LUX MAC MKD MDG " +
	"MWI MYS MDV MLI MLT MHL MTQ MRT MUS MYT MEX FSM MDA MCO MNE MNG MSR MAR MOZ MMR NAM NRU NPL NLD ANT NCL NZL NIC NER NGA NIU NFK MNP NOR OMN PAK PLW PAN PNG PRY PSE PER PHL PCN POL " +
	"PRT PRI QAT REU ROU RUS RWA KNA LCA VCT WSM SMR STP SAU SEN SRB SYC SLE SGP SVK SVN SLB SOM ZAF ESP LKA SHN SPM SDN SUR SJM SWZ SWE CHE SYR TWN TJK TZA THA TGO TKL TON TTO TUN TUR " +
	"TKM TLS TCA TUV UGA UKR ARE GBR USA URY UZB VUT VAT VEN VNM VGB VIR WLF ESH YEM ZAR ZMB ZWE")

// CountryOfFacturae gives the three letters of a country (ISO 3166-1); empty where Facturae does not have it.
func CountryOfFacturae(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return ""
	}
	if three := region.ISO3(); slices.Contains(facturaeCountries, three) {
		return three
	}
	return ""
}

// facturaeCurrencies are the currencies that Facturae has (CurrencyCodeType of 3.2 to 3.2.2).
var facturaeCurrencies = strings.Fields("AFN ALL AMD ANG AOA ARS AUD AWG AZN BAD BBD BDT BGN BHD BIF BMD BND BOB BRL BRR BSD BWP BYR BZD CAD CDF CDP CHF CLP CNY COP CRC CUP CVE CZK DJF DKK " +
	"DOP DRP DZD EEK EGP ESP ETB EUR FJD FKP GBP GEK GHC GIP GMD GNF GTQ GWP GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR " +
	"LRD LSL LTL LVL LYD MAD MDL MGF MNC MNT MOP MRO MUR MVR MWK MXN MYR MZM NGN NIC NIO NIS NOK NPR NZD OMR PAB PEI PEN PES PGK PHP PKR PLN PYG QAR RMB RON RUB RWF SAR SBD SCR SDP SEK " +
	"SGD SHP SKK SLL SOL SOS SRD STD SVC SYP SZL THB TJS TMM TND TOP TPE TRY TTD TWD TZS UAH UGS USD UYP UYU VEF VND VUV WST XAF XCD XOF YER ZAR ZMK ZWD")

// unitsOfFacturae are the codes of UnitOfMeasureType with those of UN/ECE Rec 20 and 21; of several the first is what a document is read as.
var unitsOfFacturae = []struct{ code, unit string }{
	{"01", "C62"}, {"01", "H87"}, {"01", "EA"}, {"02", "HUR"}, {"03", "KGM"}, {"04", "LTR"}, {"06", "BX"}, {"06", "XBX"}, {"07", "XDS"}, {"07", "DS"}, {"08", "XBA"}, {"08", "BA"},
	{"09", "XJY"}, {"09", "JY"}, {"10", "BG"}, {"10", "XBG"}, {"11", "XCO"}, {"11", "CO"}, {"12", "BO"}, {"12", "XBO"}, {"13", "XCI"}, {"13", "CI"}, {"14", "XIB"}, {"15", "CLT"}, {"16", "CMT"},
	{"17", "XBI"}, {"17", "BI"}, {"18", "DZN"}, {"19", "CS"}, {"19", "XCS"}, {"20", "XDJ"}, {"20", "DJ"}, {"21", "GRM"}, {"22", "KMT"}, {"23", "CA"}, {"23", "XCA"}, {"24", "XBH"}, {"24", "BH"},
	{"25", "MTR"}, {"26", "MMT"}, {"27", "XP2"}, {"28", "PK"}, {"28", "XPK"}, {"29", "PTN"}, {"30", "RO"}, {"30", "XRO"}, {"31", "EN"}, {"31", "XEN"}, {"32", "TB"}, {"32", "XTB"}, {"33", "MTQ"},
	{"34", "SEC"}, {"35", "WTT"}, {"36", "KWH"}, {otherUnit, "ZZ"},
}

// otherUnit stands for units that Facturae has no code for.
const otherUnit = "05"

// UnitOfFacturae gives the code of a unit of Rec 20 or 21.
func UnitOfFacturae(unit string) string {
	for _, row := range unitsOfFacturae {
		if row.unit == unit {
			return row.code
		}
	}
	return otherUnit
}

// UnitRead gives the unit of a code; empty where there is no such code.
func UnitRead(code string) string {
	for _, row := range unitsOfFacturae {
		if row.code == code {
			return row.unit
		}
	}
	return ""
}

// facturaeMeans gives PaymentMeans of codes of UNTDID 4461; for a means that several codes stand for, the one to read it as comes first.
var facturaeMeans = []struct{ means, code string }{
	{"01", "10"}, {"02", "49"}, {"02", "59"}, {"03", "70"}, {"04", "30"}, {"04", "58"}, {"04", "31"}, {"04", "42"}, {"05", "24"}, {"06", "64"}, {"08", "44"}, {"09", "60"}, {"11", "20"},
	{"14", "97"}, {"15", "50"}, {"16", "21"}, {"17", "23"}, {"19", "48"}, {"19", "54"}, {"19", "55"}, {"13", "1"},
}

// specialMeans is the means of payment that is none of the others.
const specialMeans = "13"

func facturaeMeansOf(code string) string {
	for _, row := range facturaeMeans {
		if row.code == code {
			return row.means
		}
	}
	return ""
}

func facturaeMeansRead(means string) string {
	for _, row := range facturaeMeans {
		if row.means == means {
			return row.code
		}
	}
	return "1"
}

// correctionReasons are the codes of ReasonCodeType with the description that goes with each (ReasonDescriptionType).
var correctionReasons = []struct{ code, text string }{
	{"01", "Número de la factura"}, {"02", "Serie de la factura"}, {"03", "Fecha expedición"}, {"04", "Nombre y apellidos/Razón Social-Emisor"},
	{"05", "Nombre y apellidos/Razón Social-Receptor"}, {"06", "Identificación fiscal Emisor/obligado"}, {"07", "Identificación fiscal Receptor"}, {"08", "Domicilio Emisor/Obligado"},
	{"09", "Domicilio Receptor"}, {"10", "Detalle Operación"}, {"11", "Porcentaje impositivo a aplicar"}, {"12", "Cuota tributaria a aplicar"}, {"13", "Fecha/Periodo a aplicar"},
	{"14", "Clase de factura"}, {"15", "Literales legales"}, {taxableBase, "Base imponible"}, {"80", "Cálculo de cuotas repercutidas"}, {"81", "Cálculo de cuotas retenidas"},
	{"82", "Base imponible modificada por devolución de envases / embalajes"}, {"83", "Base imponible modificada por descuentos y bonificaciones"},
	{"84", "Base imponible modificada por resolución firme, judicial o administrativa"},
	{"85", "Base imponible modificada cuotas repercutidas no satisfechas. Auto de declaración de concurso"},
}

// taxableBase is the reason of a correction that is assumed, byDifferences the method: the document states what changes.
const (
	taxableBase   = "16"
	byDifferences = "02"
)

// correctionMethods are the codes of CorrectionMethodType with their descriptions (CorrectionMethodDescriptionType).
var correctionMethods = []struct{ code, text string }{
	{"01", "Rectificación íntegra"}, {byDifferences, "Rectificación por diferencias"},
	{"03", "Rectificación por descuento por volumen de operaciones durante un periodo"}, {"04", "Autorizadas por la Agencia Tributaria"},
}

// textOfCode gives the text of a code in one of these lists; empty where there is none.
func textOfCode(list []struct{ code, text string }, code string) string {
	for _, row := range list {
		if row.code == code {
			return row.text
		}
	}
	return ""
}

// provinces are those of Spain by the first two digits of their postcodes.
var provinces = []string{"", "Álava", "Albacete", "Alicante", "Almería", "Ávila", "Badajoz", "Illes Balears", "Barcelona", "Burgos", "Cáceres", "Cádiz", "Castellón", "Ciudad Real", "Córdoba",
	"A Coruña", "Cuenca", "Girona", "Granada", "Guadalajara", "Gipuzkoa", "Huelva", "Huesca", "Jaén", "León", "Lleida", "La Rioja", "Lugo", "Madrid", "Málaga", "Murcia", "Navarra", "Ourense",
	"Asturias", "Palencia", "Las Palmas", "Pontevedra", "Salamanca", "Tenerife", "Cantabria", "Segovia", "Sevilla", "Soria", "Tarragona", "Teruel", "Toledo", "Valencia", "Valladolid", "Bizkaia",
	"Zamora", "Zaragoza", "Ceuta", "Melilla"}

// provinceOf is the province of a postcode; empty where there is none.
func provinceOf(postcode string) string {
	if len(postcode) != 5 {
		return ""
	}
	n := int(postcode[0]-'0')*10 + int(postcode[1]-'0')
	if n < 0 || n >= len(provinces) {
		return ""
	}
	return provinces[n]
}

// PostCodeAndTown is the postcode and the city of an address that is not in Spain, as Facturae has them in one text.
func PostCodeAndTown(postcode, city string) string { return strings.TrimSpace(postcode + " " + city) }

// PostCodeAndTownApart takes them apart: the words with digits at the beginning are the postcode.
func PostCodeAndTownApart(text string) (postcode, city string) {
	words := strings.Fields(text)
	n := 0
	for n < len(words) && strings.ContainsAny(words[n], "0123456789") {
		n++
	}
	return strings.Join(words[:n], " "), strings.Join(words[n:], " ")
}

// noSurname stands where a person has no surname, which Facturae demands.
const noSurname = "-"

// SpanishName takes the name of a person apart: the last two words of three and more are the surnames.
func SpanishName(name string) []string {
	words := strings.Fields(name)
	switch n := len(words); {
	case n == 0:
		return nil
	case n == 1:
		return []string{words[0], noSurname, ""}
	case n == 2:
		return []string{words[0], words[1], ""}
	default:
		return []string{strings.Join(words[:n-2], " "), words[n-2], words[n-1]}
	}
}

// SpanishNameOf puts such a name together.
func SpanishNameOf(parts []string) string {
	var words []string
	for _, part := range parts {
		if part != "" && part != noSurname {
			words = append(words, part)
		}
	}
	return strings.Join(words, " ")
}

// FacturaeCountry is the country of the address of a party by the name of its member; empty where there is none.
func FacturaeCountry(inv *invoice.Invoice, of string) string {
	if r := inv.TaxRepresentative; of == "taxRepresentative" && r != nil {
		return r.CountryCode
	}
	if p := FacturaePartyIn(inv, of); p != nil && *p != nil {
		return (*p).CountryCode
	}
	return ""
}

// FacturaeParty is the path of a party by the name of its member, with a slash behind it. The payee is the assignee of the claim.
func FacturaeParty(of string) string {
	switch of {
	case "seller":
		return "Parties/SellerParty/"
	case "buyer":
		return "Parties/BuyerParty/"
	case "payee":
		return assignment + "Assignee/"
	}
	return ""
}

// FacturaePartyIn is the place of a party in an invoice by the name of its member; nil for members that are no party of Facturae.
func FacturaePartyIn(inv *invoice.Invoice, of string) **invoice.Party {
	switch of {
	case "seller":
		return &inv.Seller
	case "buyer":
		return &inv.Buyer
	case "payee":
		return &inv.Payee
	}
	return nil
}

// headOffice stands for the head office of a bank in a BIC of eleven characters; one of eight leaves it out (ISO 9362).
const headOffice = "XXX"

// FacturaeBIC is a BIC with eleven characters, as Facturae has them (BICType).
func FacturaeBIC(bic string) string {
	if len(bic) == 8 {
		return bic + headOffice
	}
	return bic
}

var ibanForm = regexp.MustCompile(`^[a-zA-Z]{2}[0-9]{2}[a-zA-Z0-9]{1,30}$`)

// FacturaeIBAN tells whether the number of an account has the form of an IBAN, for which Facturae has an element of its own.
func FacturaeIBAN(number string) bool { return ibanForm.MatchString(number) }
