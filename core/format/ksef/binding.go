package ksef

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

type row = m.Row[invoice.Invoice]

// Table is the one place where a business term meets its element of FA(3). Fields are those of the canonical invoice (see profile.KSeF);
// the compiler puts elements into schema order.
var Table = m.Table[invoice.Invoice]{
	Elements: []m.Element{{Name: "Faktura", Namespace: Namespace}},
	Editions: []m.Edition{{}}, // one
	Lines:    "items[]",
	Order:    elementorder.KSeF(),
	Silent: map[string]string{
		"type":                              "the kind of invoice says it (RodzajFaktury)",
		"subtotal":                          "it is the sum of the net amounts by rate (P_13_x)",
		"taxCurrencyCode":                   "the tax in another currency is in zloty (P_14_1W)",
		"items[].taxCategoryCode":           "the rate says it (P_12)",
		"items[].taxRate":                   "the rate says it (P_12)",
		"items[].classification[].schemeId": "the element is that of one scheme (CN)",
		"paymentMethods[].type":             "its code says it (FormaPlatnosci)",
		"countrySpecific.countryCode":       "it names the country whose members follow",
		"countrySpecific.national":          "its elements are written where they belong",
		"serviceCategory":                   "it decides about a note and says nothing itself",
	},
	Rows: []row{
		{Path: "Naglowek", Required: true, Rows: append([]row{
			{Const: "FA", Path: "KodFormularza", Attrs: []m.Attr{{Name: "kodSystemowy", Const: "FA (3)"}, {Name: "wersjaSchemy", Const: "1-0E"}}},
			{Const: "3", Path: "WariantFormularza"},
			{Field: "countrySpecific.systemInfo", Path: "SystemInfo"},
		}, derived("Naglowek/")...)},
		{Term: "BG-4", Path: "Podmiot1", Rows: seller},
		{Term: "BG-7", Path: "Podmiot2", Rows: append(buyer, derived("Podmiot2/")...)},
		{Path: "Fa", Rows: append(body, derived("Fa/")...)},
		{Term: "BG-1", Card: m.Many, Field: "noteEntries[]", Path: "Stopka/Informacje", Rows: []row{{Term: "BT-22", Field: "text", Path: "StopkaFaktury"}}},
		{Term: "BT-30", Field: "seller.registrationNumber", Path: "Stopka/Rejestry/KRS", Convert: digitsOnly(10)},
		{Term: "BT-30", Field: "seller.registrationNumber", Path: "Stopka/Rejestry/REGON", Convert: digitsOnly(9, 14)},
	},
}

// olderTable is that of FA(2), which has another head.
func olderTable() *m.Table[invoice.Invoice] {
	older := Table
	older.Elements = []m.Element{{Name: "Faktura", Namespace: NamespaceFA2}}
	older.Rows = append([]row{{Path: "Naglowek", Required: true, Rows: []row{
		{Const: "FA", Path: "KodFormularza", Attrs: []m.Attr{{Name: "kodSystemowy", Const: "FA (2)"}, {Name: "wersjaSchemy", Const: "1-0E"}}},
		{Const: "2", Path: "WariantFormularza"},
		{Field: "countrySpecific.systemInfo", Path: "SystemInfo"},
	}}}, Table.Rows[1:]...)
	return &older
}

// derived are the rows of the elements below another one that are computed.
func derived(below string) []row {
	var rows []row
	for _, e := range profile.DerivedInFA() {
		if path, is := strings.CutPrefix(e.Path, below); is {
			r := row{Path: path, Codec: stashed(e)}
			if len(e.Fields) > 0 && !strings.Contains(e.Fields[0], "[]") {
				r.From = e.Fields[0]
			}
			rows = append(rows, r)
		}
	}
	return rows
}

var seller = []row{
	{Term: "BT-31", Card: m.One, Field: "seller.vatId", Path: "DaneIdentyfikacyjne/NIP", Convert: polishNumber},
	{Term: "BT-27", Card: m.One, Field: "seller.name", Path: "DaneIdentyfikacyjne/Nazwa"},
	{Term: "BT-40", Card: m.One, Field: "seller.countryCode", Path: "Adres/KodKraju", Type: m.Code},
	{Term: "BT-35 BT-36 BT-162", Path: "Adres/AdresL1", Codec: firstLine(sellerOf, "seller.")},
	{Term: "BT-37 BT-38", Path: "Adres/AdresL2", Codec: secondLine(sellerOf, "seller.")},
	{Term: "BT-43", Field: "seller.contact.email", Path: "DaneKontaktowe/Email"},
	{Term: "BT-42", Field: "seller.contact.phone", Path: "DaneKontaktowe/Telefon"},
}

var buyer = []row{
	{Term: "BT-48", Path: "DaneIdentyfikacyjne/NIP", Codec: buyerNumber("NIP")},
	{Term: "BT-48", Path: "DaneIdentyfikacyjne/KodUE", Codec: buyerNumber("KodUE")},
	{Term: "BT-48", Path: "DaneIdentyfikacyjne/NrVatUE", Codec: buyerNumber("NrVatUE")},
	{Term: "BT-48", Path: "DaneIdentyfikacyjne/KodKraju", Codec: buyerNumber("KodKraju")},
	{Term: "BT-48", Path: "DaneIdentyfikacyjne/NrID", Codec: buyerNumber("NrID")},
	{Path: "DaneIdentyfikacyjne/BrakID", Codec: buyerNumber("BrakID")},
	{Term: "BT-44", Card: m.One, Field: "buyer.name", Path: "DaneIdentyfikacyjne/Nazwa"},
	{Term: "BT-55", Path: "Adres/KodKraju", Codec: buyerCountry},
	{Term: "BT-50 BT-51 BT-163", Path: "Adres/AdresL1", Codec: firstLine(buyerOf, "buyer.")},
	{Term: "BT-52 BT-53", Path: "Adres/AdresL2", Codec: secondLine(buyerOf, "buyer.")},
	{Term: "BT-58", Field: "buyer.contact.email", Path: "DaneKontaktowe/Email"},
	{Term: "BT-57", Field: "buyer.contact.phone", Path: "DaneKontaktowe/Telefon"},
	{Term: "BT-46", Field: "customerNumber", Path: "NrKlienta"},
	{Term: "BT-10", Field: "buyerReference", Path: "IDNabywcy"},
}

var body = []row{
	{Term: "BT-5", Card: m.One, Field: "currency", Path: "KodWaluty", Type: m.Code},
	{Term: "BT-2", Card: m.One, Field: "issueDate", Path: "P_1", Type: m.Day},
	{Field: "countrySpecific.placeOfIssue", Path: "P_1M"},
	{Term: "BT-1", Card: m.One, Field: "invoiceNumber", Path: "P_2", Type: m.Identifier},
	{Term: "BT-16", Field: "deliveryNote.number", Path: "WZ", Type: m.Identifier},
	{Term: "BT-72", Field: "delivery.date", Path: "P_6", Type: m.Day},
	{Term: "BT-73", Field: "servicePeriod.start", Path: "OkresFa/P_6_Od", Type: m.Day},
	{Term: "BT-74", Field: "servicePeriod.end", Path: "OkresFa/P_6_Do", Type: m.Day},
	{Term: "BT-112", Card: m.One, Field: "total", Path: "P_15", Type: m.Amount, Convert: m.Decimals(2, 2)},
	{Term: "BT-3", Card: m.One, Path: "RodzajFaktury", Codec: kind},
	{Field: "countrySpecific.correctionReason", Path: "PrzyczynaKorekty"},
	{Field: "countrySpecific.correctionType", Path: "TypKorekty"},
	{Term: "BG-3", Card: m.Many, Field: "referencedInvoices[]", Path: "DaneFaKorygowanej", Rows: []row{
		{Term: "BT-26", Field: "date", Path: "DataWystFaKorygowanej", Type: m.Day},
		{Term: "BT-25", Card: m.One, Field: "number", Path: "NrFaKorygowanej", Type: m.Identifier},
		{Path: "NrKSeF", Codec: registered(true)},
		{Field: "registryId", Path: "NrKSeFFaKorygowanej", Type: m.Identifier},
		{Path: "NrKSeFN", Codec: registered(false)},
	}},
	{Term: "BG-25", Card: m.Many, Field: "items[]", Path: "FaWiersz", Rows: line},
	{Term: "BT-9", Field: "dueDate", Path: "Platnosc/TerminPlatnosci/Termin", Type: m.Day},
	{Term: "BT-81", Path: "Platnosc/FormaPlatnosci", Codec: methodForm},
	{Term: "BT-81", Path: "Platnosc/PlatnoscInna", Codec: methodOther},
	{Term: "BT-82", Path: "Platnosc/OpisPlatnosci", Codec: methodText},
	{Term: "BT-84", Field: "seller.bankAccount.iban", Path: "Platnosc/RachunekBankowy/NrRB", Type: m.Identifier, Convert: accountNumber},
	{Term: "BT-86", Field: "seller.bankAccount.bic", Path: "Platnosc/RachunekBankowy/SWIFT", Type: m.Identifier, Convert: bankCode},
	{Field: "seller.bankAccount.bankName", Path: "Platnosc/RachunekBankowy/NazwaBanku"},
	{Term: "BT-12", Field: "contractNumber", Path: "WarunkiTransakcji/Umowy/NrUmowy", Type: m.Identifier},
	{Term: "BT-13", Field: "orderNumber", Path: "WarunkiTransakcji/Zamowienia/NrZamowienia", Type: m.Identifier},
}

var line = []row{
	{Term: "BT-126", Card: m.One, Field: "position", Path: "NrWierszaFa", Type: m.Identifier},
	{Term: "BT-134 BT-135", Path: "P_6A", Codec: lineDay},
	{Term: "BT-153", Card: m.One, Field: "description", Path: "P_7"},
	{Term: "BT-155", Field: "articleNumber", Path: "Indeks", Type: m.Identifier},
	{Term: "BT-157", Field: "gtin", Path: "GTIN", Type: m.Identifier},
	{Term: "BT-158", Card: m.Many, Field: "classification[]", Path: "CN", Rows: []row{{Path: ".", Field: "id"}}},
	{Term: "BT-130", Field: "unit", Path: "P_8A", Convert: units},
	{Term: "BT-129", Field: "quantity", Path: "P_8B", Type: m.Quantity, Convert: m.Decimals(0, 6)},
	{Term: "BT-146", Field: "unitPrice", Path: "P_9A", Type: m.UnitPrice, Convert: m.Decimals(2, 8)},
	{Term: "BT-136 BT-141", Path: "P_10", Codec: lineDiscount},
	{Term: "BT-131", Field: "netAmount", Path: "P_11", Type: m.Amount, Convert: m.Decimals(2, 2)},
	{Term: "BT-151 BT-152", Field: "taxCategoryName", Path: "P_12", Type: m.Code},
	{Term: "BT-152", Path: "P_12_XII", Codec: foreignRate},
	{Field: "gtu", Path: "GTU", Type: m.Code},
	{Field: "/countrySpecific.exchangeRate", Path: "KursWaluty", Type: m.Quantity, Convert: m.Decimals(0, 6)},
}
