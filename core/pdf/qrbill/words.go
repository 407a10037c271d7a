package qrbill

// words are what a payment part says in one language (guidelines, annex on the headings).
type words struct {
	receipt, part, account, reference, information, payableBy, payableByBlank, currency, amount, acceptance, detach, code string
}

// languages are those of the guidelines. All others read English.
var languages = map[string]words{
	"de": {"Empfangsschein", "Zahlteil", "Konto / Zahlbar an", "Referenz", "Zusätzliche Informationen", "Zahlbar durch", "Zahlbar durch (Name/Adresse)",
		"Währung", "Betrag", "Annahmestelle", "Vor der Einzahlung abzutrennen", "Swiss QR Code mit den Angaben des Zahlteils"},
	"fr": {"Récépissé", "Section paiement", "Compte / Payable à", "Référence", "Informations supplémentaires", "Payable par", "Payable par (nom/adresse)",
		"Monnaie", "Montant", "Point de dépôt", "A détacher avant le versement", "Swiss QR Code avec les données de la section paiement"},
	"it": {"Ricevuta", "Sezione pagamento", "Conto / Pagabile a", "Riferimento", "Informazioni supplementari", "Pagabile da", "Pagabile da (nome/indirizzo)",
		"Valuta", "Importo", "Punto di accettazione", "Da staccare prima del versamento", "Swiss QR Code con i dati della sezione pagamento"},
	"en": {"Receipt", "Payment part", "Account / Payable to", "Reference", "Additional information", "Payable by", "Payable by (name/address)",
		"Currency", "Amount", "Acceptance point", "Separate before paying in", "Swiss QR Code with what the payment part says"},
}

func wordsOf(language string) words {
	if w, known := languages[language]; known {
		return w
	}
	return languages["en"]
}
