package profile

import "github.com/einvoiced/einvoiced/core/invoice"

// spain: the NIF is the tax number (BT-32), unless it is the VAT identifier without ES. The other keys are those of Facturae and VeriFactu.
var spain = &nation{words: spanish, keys: []Step{sellerTaxID(key{"nif", func(cs *invoice.CountrySpecific) *string { return &cs.NIF }})}}

var spanish = &words{
	dueNow: "Pago inmediato, sin descuento.", dueDays: "Pago a %d días desde la fecha de la factura.", dueOn: "Pago hasta el %s.",
	retention: "Retención de garantía", of: "sobre", payable: "exigible el",
	discountDays: "Descuento por pronto pago del %s %% si se paga a %d días desde la fecha de la factura", day: slashed,
}
