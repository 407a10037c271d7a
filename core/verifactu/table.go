package verifactu

// The tables have a row for each element, in the order of the schema. The same rows write records and read them.

// ofInvoice is RegistroAlta.
var ofInvoice = []part[Record]{
	text("IDVersion", func(r *Record) *string { return &r.Version }),
	group("IDFactura", func(r *Record) *InvoiceID { return &r.Invoice }, invoiceID("")),
	text("RefExterna", func(r *Record) *string { return &r.Reference }),
	text("NombreRazonEmisor", func(r *Record) *string { return &r.IssuerName }),
	text("Subsanacion", func(r *Record) *string { return &r.Corrects }),
	text("RechazoPrevio", func(r *Record) *string { return &r.Rejected }),
	text("TipoFactura", func(r *Record) *string { return &r.Type }),
	text("TipoRectificativa", func(r *Record) *string { return &r.Kind }),
	within("FacturasRectificadas", list("IDFacturaRectificada", func(r *Record) *[]InvoiceID { return &r.Rectified }, invoiceID(""))),
	within("FacturasSustituidas", list("IDFacturaSustituida", func(r *Record) *[]InvoiceID { return &r.Replaced }, invoiceID(""))),
	option("ImporteRectificacion", func(r *Record) **Amended { return &r.Amended }, []part[Amended]{
		text("BaseRectificada", func(a *Amended) *string { return &a.Base }),
		text("CuotaRectificada", func(a *Amended) *string { return &a.Tax }),
		text("CuotaRecargoRectificado", func(a *Amended) *string { return &a.Surcharge }),
	}),
	text("FechaOperacion", func(r *Record) *string { return &r.Operation }),
	text("DescripcionOperacion", func(r *Record) *string { return &r.Description }),
	text("FacturaSimplificadaArt7273", func(r *Record) *string { return &r.Simplified }),
	text("FacturaSinIdentifDestinatarioArt61d", func(r *Record) *string { return &r.Unnamed }),
	text("Macrodato", func(r *Record) *string { return &r.Large }),
	text("EmitidaPorTerceroODestinatario", func(r *Record) *string { return &r.IssuedBy }),
	option("Tercero", func(r *Record) **Party { return &r.ThirdParty }, party),
	within("Destinatarios", list("IDDestinatario", func(r *Record) *[]Party { return &r.Recipients }, party)),
	text("Cupon", func(r *Record) *string { return &r.Coupon }),
	within("Desglose", list("DetalleDesglose", func(r *Record) *[]Detail { return &r.Details }, detail)),
	text("CuotaTotal", func(r *Record) *string { return &r.Tax }),
	text("ImporteTotal", func(r *Record) *string { return &r.Total }),
	chained,
	group("SistemaInformatico", func(r *Record) *System { return &r.System }, system),
	text("FechaHoraHusoGenRegistro", func(r *Record) *string { return &r.Generated }),
	text("NumRegistroAcuerdoFacturacion", func(r *Record) *string { return &r.Agreement }),
	text("IdAcuerdoSistemaInformatico", func(r *Record) *string { return &r.SystemOK }),
	text("TipoHuella", func(r *Record) *string { return &r.HashType }),
	text("Huella", func(r *Record) *string { return &r.Hash }),
}

// ofCancellation is RegistroAnulacion.
var ofCancellation = []part[Record]{
	text("IDVersion", func(r *Record) *string { return &r.Version }),
	group("IDFactura", func(r *Record) *InvoiceID { return &r.Invoice }, invoiceID("Anulada")),
	text("RefExterna", func(r *Record) *string { return &r.Reference }),
	text("SinRegistroPrevio", func(r *Record) *string { return &r.Unregistered }),
	text("RechazoPrevio", func(r *Record) *string { return &r.Rejected }),
	text("GeneradoPor", func(r *Record) *string { return &r.CanceledBy }),
	option("Generador", func(r *Record) **Party { return &r.Canceler }, party),
	chained,
	group("SistemaInformatico", func(r *Record) *System { return &r.System }, system),
	text("FechaHoraHusoGenRegistro", func(r *Record) *string { return &r.Generated }),
	text("TipoHuella", func(r *Record) *string { return &r.HashType }),
	text("Huella", func(r *Record) *string { return &r.Hash }),
}

// invoiceID names an invoice; cancellations add a word to the names of the elements.
func invoiceID(word string) []part[InvoiceID] {
	return []part[InvoiceID]{
		text("IDEmisorFactura"+word, func(i *InvoiceID) *string { return &i.Issuer }),
		text("NumSerieFactura"+word, func(i *InvoiceID) *string { return &i.Number }),
		text("FechaExpedicionFactura"+word, func(i *InvoiceID) *string { return &i.Date }),
	}
}

// chained is Encadenamiento.
var chained = within("Encadenamiento",
	text("PrimerRegistro", func(r *Record) *string { return &r.First }),
	option("RegistroAnterior", func(r *Record) **Previous { return &r.Previous }, []part[Previous]{
		text("IDEmisorFactura", func(p *Previous) *string { return &p.Issuer }),
		text("NumSerieFactura", func(p *Previous) *string { return &p.Number }),
		text("FechaExpedicionFactura", func(p *Previous) *string { return &p.Date }),
		text("Huella", func(p *Previous) *string { return &p.Hash }),
	}),
)

var party = []part[Party]{
	text("NombreRazon", func(p *Party) *string { return &p.Name }),
	text("NIF", func(p *Party) *string { return &p.NIF }),
	option("IDOtro", func(p *Party) **OtherID { return &p.Other }, []part[OtherID]{
		text("CodigoPais", func(o *OtherID) *string { return &o.Country }),
		text("IDType", func(o *OtherID) *string { return &o.Type }),
		text("ID", func(o *OtherID) *string { return &o.ID }),
	}),
}

var detail = []part[Detail]{
	text("Impuesto", func(d *Detail) *string { return &d.Tax }),
	text("ClaveRegimen", func(d *Detail) *string { return &d.Regime }),
	text("CalificacionOperacion", func(d *Detail) *string { return &d.Qualifier }),
	text("OperacionExenta", func(d *Detail) *string { return &d.Exemption }),
	text("TipoImpositivo", func(d *Detail) *string { return &d.Rate }),
	text("BaseImponibleOimporteNoSujeto", func(d *Detail) *string { return &d.Base }),
	text("BaseImponibleACoste", func(d *Detail) *string { return &d.BaseAtCost }),
	text("CuotaRepercutida", func(d *Detail) *string { return &d.Amount }),
	text("TipoRecargoEquivalencia", func(d *Detail) *string { return &d.SurchargeRate }),
	text("CuotaRecargoEquivalencia", func(d *Detail) *string { return &d.Surcharge }),
}

var system = []part[System]{
	text("NombreRazon", func(s *System) *string { return &s.Producer.Name }),
	text("NIF", func(s *System) *string { return &s.Producer.NIF }),
	option("IDOtro", func(s *System) **OtherID { return &s.Producer.Other }, []part[OtherID]{
		text("CodigoPais", func(o *OtherID) *string { return &o.Country }),
		text("IDType", func(o *OtherID) *string { return &o.Type }),
		text("ID", func(o *OtherID) *string { return &o.ID }),
	}),
	text("NombreSistemaInformatico", func(s *System) *string { return &s.Name }),
	text("IdSistemaInformatico", func(s *System) *string { return &s.ID }),
	text("Version", func(s *System) *string { return &s.Version }),
	text("NumeroInstalacion", func(s *System) *string { return &s.Installation }),
	text("TipoUsoPosibleSoloVerifactu", func(s *System) *string { return &s.OnlyVerifactu }),
	text("TipoUsoPosibleMultiOT", func(s *System) *string { return &s.SeveralUsers }),
	text("IndicadorMultiplesOT", func(s *System) *string { return &s.ServesSeveral }),
}
