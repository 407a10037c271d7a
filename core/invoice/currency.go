package invoice

// wholeAmounts are the currencies without a minor unit, whose amounts are whole numbers (ISO 4217, list one).
var wholeAmounts = map[string]bool{
	"BIF": true, "CLP": true, "DJF": true, "GNF": true, "ISK": true, "JPY": true, "KMF": true, "KRW": true, "PYG": true, "RWF": true, "UGX": true,
	"UYI": true, "VND": true, "VUV": true, "XAF": true, "XOF": true, "XPF": true,
}

// AmountDecimals is the number of decimals to which amounts in a currency are calculated: none for currencies without a minor unit
// (ISO 4217), else 2, the most that amounts of EN 16931-1 (clause 6.5.2) have, also for currencies with thousandths.
func AmountDecimals(currency string) int {
	if wholeAmounts[currency] {
		return 0
	}
	return 2
}
