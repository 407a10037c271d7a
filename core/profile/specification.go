package profile

// XRechnungExtension is the specification identifier (BT-24) of the extension of XRechnung 3.0 (KoSIT, XRechnung 3.0.2, chapter
// on the extension): sub lines, payments of third parties, attachments of the type application/xml, further identifier schemes.
const XRechnungExtension = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0" +
	"#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0"
