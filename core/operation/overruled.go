package operation

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// overruled are the members that another one wins over, whatever the format (contract, invoice object; supplement §1b, dates, and §3).
var overruled = []struct{ member, by string }{
	{"customerNumber", "buyer.identifiers"},
	{"countrySpecific.buyerReference", "buyerReference"},
	{"countrySpecific.leitwegId", "buyerReference"},
	{"countrySpecific.leitwegId", "countrySpecific.buyerReference"},
	{"cashDiscountPercent", "paymentTerms.earlyPaymentDiscount"},
	{"cashDiscountDays", "paymentTerms.earlyPaymentDiscount"},
	{"cashDiscountBaseAmount", "paymentTerms.earlyPaymentDiscount"},
	{"deliveryDate", "delivery.date"},
}

// incomplete are the members that say nothing without another one, and what they are then no part of.
var incomplete = []struct{ member, without, whole string }{
	{"cashDiscountPercent", "cashDiscountDays", "cash discount"},
	{"cashDiscountDays", "cashDiscountPercent", "cash discount"},
	{"cashDiscountBaseAmount", "cashDiscountPercent", "cash discount"},
	{"cashDiscountBaseAmount", "cashDiscountDays", "cash discount"},
}

// notWrittenBecause says why a member of the caller's is not in the document: another one that is there has its place, it is half of
// something, or the format has no place for it.
func notWrittenBecause(field string, lost []mapping.Unwritten, given invoice.Members, token format.Token) string {
	for _, o := range overruled {
		taken := func(u mapping.Unwritten) bool {
			return strings.HasPrefix(invoice.AnyEntry(u.Field), o.by) && !strings.HasPrefix(field, o.by)
		}
		if field == o.member && given.Has(o.by) && !slices.ContainsFunc(lost, taken) {
			return o.by + " is given as well, and takes its place"
		}
	}
	for _, i := range incomplete {
		if field == i.member && !given.Has(i.without) {
			return "without " + i.without + " it is no " + i.whole
		}
	}
	return token.Name + " has no place for it"
}
