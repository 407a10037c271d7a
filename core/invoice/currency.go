package invoice

import "slices"

// wholeAmounts are the currencies without a minor unit, whose amounts are whole numbers (ISO 4217, list one).
var wholeAmounts = map[string]bool{
	"BIF": true, "CLP": true, "DJF": true, "GNF": true, "ISK": true, "JPY": true, "KMF": true, "KRW": true, "PYG": true, "RWF": true, "UGX": true,
	"UYI": true, "VND": true, "VUV": true, "XAF": true, "XOF": true, "XPF": true,
}

// wholeAtHome are the countries whose own currency has no minor unit, with that currency: there amounts are calculated as whole numbers.
// Elsewhere EN 16931-1 (clause 6.5.2) rounds them to two decimals whatever the currency.
var wholeAtHome = map[string]string{"JP": "JPY", "IS": "ISK"}

// calculatedDecimals is the number of decimals to which the amounts of an invoice are calculated: none in the seller's own currency where that
// has no minor unit, else two. PINT JP wants yen without decimals (aligned-ibr-jp-06). Peppol BIS wants the net amount of a line to within two
// hundredths also in krónur (PEPPOL-EN16931-R120), so an Icelandic invoice with a line that is no whole number has decimals throughout.
func calculatedDecimals(inv *Invoice) int {
	if inv.Seller == nil || inv.Currency == "" || wholeAtHome[inv.Seller.CountryCode] != inv.Currency {
		return 2
	}
	if inv.Seller.CountryCode != "JP" && slices.ContainsFunc(inv.Items, func(it Item) bool { return !it.NetAmount.IsSet() && it.Net().Cmp(it.NetTo(0)) != 0 }) {
		return 2
	}
	return 0
}

// AmountDecimals is the number of decimals that amounts in a currency have: none for currencies without a minor unit
// (ISO 4217), else 2, the most that amounts of EN 16931-1 (clause 6.5.2) have, also for currencies with thousandths.
func AmountDecimals(currency string) int {
	if wholeAmounts[currency] {
		return 0
	}
	return 2
}
