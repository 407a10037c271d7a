package invoice

// Party is a seller (BG-4), a buyer (BG-7) or a payee (BG-10).
type Party struct {
	Name               string             `json:"name,omitzero" check:"required"` // BT-27, BT-44, BT-59
	TradingName        string             `json:"tradingName,omitzero"`           // BT-28, BT-45
	Street             string             `json:"street,omitzero"`                // BT-35, BT-50
	AdditionalStreet   string             `json:"additionalStreet,omitzero"`      // BT-36, BT-51
	AddressLine3       string             `json:"addressLine3,omitzero"`          // BT-162, BT-163
	City               string             `json:"city,omitzero"`                  // BT-37, BT-52
	PostalCode         string             `json:"postalCode,omitzero"`            // BT-38, BT-53
	State              string             `json:"state,omitzero"`                 // BT-39, BT-54
	CountryCode        string             `json:"countryCode,omitzero"`           // BT-40, BT-55; required on seller and buyer
	TaxID              string             `json:"taxId,omitzero"`                 // BT-32
	VATID              string             `json:"vatId,omitzero"`                 // BT-31, BT-48
	RegistrationNumber string             `json:"registrationNumber,omitzero"`    // BT-30, BT-47, BT-61
	RegistrationScheme string             `json:"registrationScheme,omitzero"`    // BT-30-1, BT-47-1, BT-61-1; ISO 6523
	RegistrationType   string             `json:"registrationType,omitzero"`      // BTAE-15, BTAE-16: TL, EID, PAS, CD
	RegistrationIssuer string             `json:"registrationIssuer,omitzero"`    // BTAE-11, BTAE-12: authority; BTAE-18, BTAE-19: country of a passport
	LegalInformation   string             `json:"legalInformation,omitzero"`      // BT-33
	Identifiers        []Identifier       `json:"identifiers,omitzero"`           // BT-29, BT-46, BT-60
	ElectronicAddress  *ElectronicAddress `json:"electronicAddress,omitzero"`     // BT-34, BT-49
	Email              string             `json:"email,omitzero"`
	Phone              string             `json:"phone,omitzero"`
	Website            string             `json:"website,omitzero"`
	Contact            *Contact           `json:"contact,omitzero"`     // BG-6, BG-9
	BankAccount        *BankAccount       `json:"bankAccount,omitzero"` // BG-17
}

// Identifier is an identification of a party; SchemeID is an ISO 6523 ICD code.
type Identifier struct {
	ID       string `json:"id,omitzero"` // required on seller and buyer, optional on the payee
	SchemeID string `json:"schemeId,omitzero"`
	// SchemeName is the scheme where a country has names of its own: OM CR, TIN, CID, PASNUM, OTHID, ICID, SZLN (BTOM-015, BTOM-018).
	SchemeName string `json:"schemeName,omitzero"`
}

// ElectronicAddress is where a party receives documents (BT-34, BT-49); SchemeID is an EAS code. In JSON it may also come as
// {value, schemeId} or as the string "scheme:value".
type ElectronicAddress struct {
	ID       string `json:"id,omitzero" check:"required"`
	SchemeID string `json:"schemeId,omitzero" check:"required"`
}

// Contact is a contact point (BG-6, BG-9).
type Contact struct {
	Name       string `json:"name,omitzero"` // BT-41, BT-56
	Department string `json:"department,omitzero"`
	Phone      string `json:"phone,omitzero"` // BT-42, BT-57
	Email      string `json:"email,omitzero"` // BT-43, BT-58
}

// BankAccount is an account of a party (BG-17). The IBAN is checked by ISO 13616 (mod 97); BIC has 8 or 11 characters.
type BankAccount struct {
	IBAN          string `json:"iban,omitzero" check:"required"` // BT-84
	BIC           string `json:"bic,omitzero"`                   // BT-86
	BankName      string `json:"bankName,omitzero"`
	AccountHolder string `json:"accountHolder,omitzero"` // BT-85
}

// TaxRepresentative is the seller's tax representative (BG-11, BG-12).
type TaxRepresentative struct {
	Name             string `json:"name,omitzero" check:"required"`        // BT-62
	VATID            string `json:"vatId,omitzero" check:"required"`       // BT-63
	Street           string `json:"street,omitzero"`                       // BT-64
	AdditionalStreet string `json:"additionalStreet,omitzero"`             // BT-65
	AddressLine3     string `json:"addressLine3,omitzero"`                 // BT-164
	City             string `json:"city,omitzero"`                         // BT-66
	PostalCode       string `json:"postalCode,omitzero"`                   // BT-67
	State            string `json:"state,omitzero"`                        // BT-68
	CountryCode      string `json:"countryCode,omitzero" check:"required"` // BT-69
}

// Delivery says where and when goods or services were delivered (BG-13).
type Delivery struct {
	Date             Date     `json:"date,omitzero"`             // BT-72
	Name             string   `json:"name,omitzero"`             // BT-70
	LocationID       string   `json:"locationId,omitzero"`       // BT-71
	LocationIDScheme string   `json:"locationIdScheme,omitzero"` // BT-71-1
	Address          *Address `json:"address,omitzero"`          // BG-15
}

// Address is a postal address (BG-15).
type Address struct {
	Street           string `json:"street,omitzero"`           // BT-75
	AdditionalStreet string `json:"additionalStreet,omitzero"` // BT-76
	AddressLine3     string `json:"addressLine3,omitzero"`     // BT-165
	City             string `json:"city,omitzero"`             // BT-77
	PostalCode       string `json:"postalCode,omitzero"`       // BT-78
	State            string `json:"state,omitzero"`            // BT-79
	CountryCode      string `json:"countryCode,omitzero"`      // BT-80
}
