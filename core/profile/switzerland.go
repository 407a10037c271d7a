package profile

// switzerland: the reference of a QR-bill and the enterprise number have places; the other keys are those of the QR-bill alone.
var switzerland = &nation{words: german, keys: []Step{swissReferences}}

// swissReferences: the reference of a QR-bill is the remittance information (BT-83), and the enterprise number (UID) of a seller who
// is not registered for VAT is the other registration (BT-32).
var swissReferences = Step{
	Name: "Swiss references",
	Moves: []Move{
		{"countrySpecific.qrReference", "paymentReference"},
		{"countrySpecific.uid", "seller.taxId"},
	},
	Derive: func(d *Draft) {
		cs := d.Invoice.CountrySpecific
		if cs == nil {
			return
		}
		moveInto(&d.Invoice.PaymentReference, &cs.QRReference)
		if d.Invoice.Seller != nil {
			moveInto(&d.Invoice.Seller.TaxID, &cs.UID)
		}
	},
}
