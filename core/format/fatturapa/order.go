package fatturapa

// order gives the children of elements by the local name of their parent, as the schema of FatturaPA 1.2.3 fixes it. Elements of one
// name in several places have here what any of them has: DatiAnagrafici those of seller, buyer and others, RappresentanteFiscale those of
// the seller's and of the buyer's.
var order = map[string]string{
	"FatturaElettronica":                   "FatturaElettronicaHeader FatturaElettronicaBody",
	"FatturaElettronicaHeader":             "DatiTrasmissione CedentePrestatore RappresentanteFiscale CessionarioCommittente TerzoIntermediarioOSoggettoEmittente SoggettoEmittente",
	"DatiTrasmissione":                     "IdTrasmittente ProgressivoInvio FormatoTrasmissione CodiceDestinatario ContattiTrasmittente PECDestinatario",
	"IdTrasmittente":                       "IdPaese IdCodice",
	"IdFiscaleIVA":                         "IdPaese IdCodice",
	"ContattiTrasmittente":                 "Telefono Email",
	"CedentePrestatore":                    "DatiAnagrafici Sede StabileOrganizzazione IscrizioneREA Contatti RiferimentoAmministrazione",
	"CessionarioCommittente":               "DatiAnagrafici Sede StabileOrganizzazione RappresentanteFiscale",
	"RappresentanteFiscale":                "DatiAnagrafici IdFiscaleIVA Denominazione Nome Cognome",
	"TerzoIntermediarioOSoggettoEmittente": "DatiAnagrafici",
	"DatiAnagrafici":                       "IdFiscaleIVA CodiceFiscale Anagrafica AlboProfessionale ProvinciaAlbo NumeroIscrizioneAlbo DataIscrizioneAlbo RegimeFiscale",
	"DatiAnagraficiVettore":                "IdFiscaleIVA CodiceFiscale Anagrafica NumeroLicenzaGuida",
	"Anagrafica":                           "Denominazione Nome Cognome Titolo CodEORI",
	"Sede":                                 address,
	"StabileOrganizzazione":                address,
	"IndirizzoResa":                        address,
	"IscrizioneREA":                        "Ufficio NumeroREA CapitaleSociale SocioUnico StatoLiquidazione",
	"Contatti":                             "Telefono Fax Email",
	"FatturaElettronicaBody":               "DatiGenerali DatiBeniServizi DatiVeicoli DatiPagamento Allegati",
	"DatiGenerali":                         "DatiGeneraliDocumento DatiOrdineAcquisto DatiContratto DatiConvenzione DatiRicezione DatiFattureCollegate DatiSAL DatiDDT DatiTrasporto FatturaPrincipale",
	"DatiGeneraliDocumento":                "TipoDocumento Divisa Data Numero DatiRitenuta DatiBollo DatiCassaPrevidenziale ScontoMaggiorazione ImportoTotaleDocumento Arrotondamento Causale Art73",
	"DatiRitenuta":                         "TipoRitenuta ImportoRitenuta AliquotaRitenuta CausalePagamento",
	"DatiBollo":                            "BolloVirtuale ImportoBollo",
	"DatiCassaPrevidenziale":               "TipoCassa AlCassa ImportoContributoCassa ImponibileCassa AliquotaIVA Ritenuta Natura RiferimentoAmministrazione",
	"ScontoMaggiorazione":                  "Tipo Percentuale Importo",
	"DatiOrdineAcquisto":                   related,
	"DatiContratto":                        related,
	"DatiConvenzione":                      related,
	"DatiRicezione":                        related,
	"DatiFattureCollegate":                 related,
	"DatiSAL":                              "RiferimentoFase",
	"DatiDDT":                              "NumeroDDT DataDDT RiferimentoNumeroLinea",
	"DatiTrasporto":                        "DatiAnagraficiVettore MezzoTrasporto CausaleTrasporto NumeroColli Descrizione UnitaMisuraPeso PesoLordo PesoNetto DataOraRitiro DataInizioTrasporto TipoResa IndirizzoResa DataOraConsegna",
	"FatturaPrincipale":                    "NumeroFatturaPrincipale DataFatturaPrincipale",
	"DatiBeniServizi":                      "DettaglioLinee DatiRiepilogo",
	"DettaglioLinee":                       "NumeroLinea TipoCessionePrestazione CodiceArticolo Descrizione Quantita UnitaMisura DataInizioPeriodo DataFinePeriodo PrezzoUnitario ScontoMaggiorazione PrezzoTotale AliquotaIVA Ritenuta Natura RiferimentoAmministrazione AltriDatiGestionali",
	"CodiceArticolo":                       "CodiceTipo CodiceValore",
	"AltriDatiGestionali":                  "TipoDato RiferimentoTesto RiferimentoNumero RiferimentoData",
	"DatiRiepilogo":                        "AliquotaIVA Natura SpeseAccessorie Arrotondamento ImponibileImporto Imposta EsigibilitaIVA RiferimentoNormativo",
	"DatiVeicoli":                          "Data TotalePercorso",
	"DatiPagamento":                        "CondizioniPagamento DettaglioPagamento",
	"DettaglioPagamento": "Beneficiario ModalitaPagamento DataRiferimentoTerminiPagamento GiorniTerminiPagamento DataScadenzaPagamento ImportoPagamento CodUfficioPostale CognomeQuietanzante NomeQuietanzante " +
		"CFQuietanzante TitoloQuietanzante IstitutoFinanziario IBAN ABI CAB BIC ScontoPagamentoAnticipato DataLimitePagamentoAnticipato PenalitaPagamentiRitardati DataDecorrenzaPenale CodicePagamento",
	"Allegati": "NomeAttachment AlgoritmoCompressione FormatoAttachment DescrizioneAttachment Attachment",
}

const (
	address = "Indirizzo NumeroCivico CAP Comune Provincia Nazione"
	related = "RiferimentoNumeroLinea IdDocumento Data NumItem CodiceCommessaConvenzione CodiceCUP CodiceCIG"
)
