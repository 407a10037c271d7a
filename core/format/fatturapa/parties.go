package fatturapa

import (
	"slices"

	m "github.com/einvoiced/einvoiced/core/mapping"
)

var header = []row{
	{Path: "DatiTrasmissione", Rows: []row{
		{Field: "countrySpecific.transmitterId", Path: "IdTrasmittente", Split: vatNumber, Rows: []row{{Path: "IdPaese"}, {Path: "IdCodice"}}},
		{Field: "countrySpecific.progressiveNumber", Path: "ProgressivoInvio"},
		{Field: "businessProcess", Path: "FormatoTrasmissione", Type: m.Code},
		{In: V11, Path: "FormatoTrasmissione", Const: "SDI11"}, // where versione is the number of the version and says nothing of the recipient
		{In: V10, Path: "FormatoTrasmissione", Const: "SDI10"},
		{Field: "countrySpecific.recipientCode", Path: "CodiceDestinatario", Type: m.Code},
		{Field: "countrySpecific.pec", Path: "PECDestinatario"},
	}},
	{Term: "BG-4", Card: m.One, Field: "seller", Path: "CedentePrestatore", Rows: slices.Concat(party("BT-31", "BT-32", "BT-27", 35, []row{
		{Field: "/countrySpecific.taxRegime", Path: "RegimeFiscale", Type: m.Code},
	}), []row{
		{Term: "BT-30", Path: "IscrizioneREA", Rows: []row{
			{Field: "/countrySpecific.rea.office", Path: "Ufficio", Type: m.Code},
			{Field: "/countrySpecific.rea.number", Path: "NumeroREA"},
			{Field: "/countrySpecific.rea.capital", Path: "CapitaleSociale", Type: m.Amount, Convert: cents},
			{Field: "/countrySpecific.rea.shareholders", Path: "SocioUnico", Type: m.Code},
			{Field: "/countrySpecific.rea.liquidation", Path: "StatoLiquidazione", Type: m.Code, Fill: "LN"},
		}},
		{Term: "BG-6", Path: "Contatti", Rows: []row{
			{Term: "BT-42", Field: "contact.phone", Path: "Telefono", Convert: telephone},
			{Term: "BT-43", Field: "contact.email", Path: "Email", Convert: contactEmail},
		}},
		{Term: "BT-29", Card: m.Many, Field: "identifiers[]", Path: "RiferimentoAmministrazione", Rows: []row{{Term: "BT-29", Field: "id", Path: ".", Convert: ascii(20)}}},
	})},
	{Term: "BG-11", Field: "taxRepresentative", Path: "RappresentanteFiscale/DatiAnagrafici", Rows: []row{
		{Term: "BT-63", Card: m.One, Field: "vatId", Path: "IdFiscaleIVA", Split: vatNumber, Rows: []row{{Path: "IdPaese"}, {Path: "IdCodice"}}},
		{Term: "BT-62", Card: m.One, Field: "name", Path: "Anagrafica", Split: fullName, Rows: name},
	}},
	{Term: "BG-7", Card: m.One, Field: "buyer", Path: "CessionarioCommittente", Rows: party("BT-48", "BT-46", "BT-44", 50, nil)},
	{Field: "countrySpecific.issuedBy", Path: "SoggettoEmittente", Type: m.Code},
}

// name are the elements of a name: that of a company, or those of a person.
var name = []row{{Path: "Denominazione"}, {Path: "Nome"}, {Path: "Cognome"}}

// party are the members of seller and buyer, with what one of them has beside; the terms of the address count on from the street.
func party(vat, fiscal, called string, street int, own []row) []row {
	return []row{
		{Path: "DatiAnagrafici", Rows: slices.Concat([]row{
			{Term: vat, Field: "vatId", Path: "IdFiscaleIVA", Split: vatNumber, Rows: []row{{Path: "IdPaese"}, {Path: "IdCodice"}}},
			{Term: fiscal, Field: "taxId", Path: "CodiceFiscale", Convert: fiscalCode},
			{Term: called, Card: m.One, Field: "name", Path: "Anagrafica", Split: fullName, Rows: name},
		}, own)},
		{Term: group(street), Card: m.One, Path: "Sede", Rows: []row{
			{Term: term(street), Field: "street", Path: ".", Split: houseNumber, Rows: []row{{Path: "Indirizzo"}, {Path: "NumeroCivico"}}},
			{Term: term(street + 3), Field: "postalCode", Path: "CAP", Convert: postcode, Fill: "00000"},
			{Term: term(street + 2), Field: "city", Path: "Comune"},
			{Term: term(street + 4), Field: "state", Path: "Provincia", Convert: province},
			{Term: term(street + 5), Card: m.One, Field: "countryCode", Path: "Nazione", Type: m.Code},
		}},
	}
}
