// Package testdata has the example requests of the tests, so that the program can show them.
package testdata

import "embed"

// samples are requests for an XRechnung: a file for each, named after what it is about.
//
//go:embed xrechnung-ubl/*.json xrechnung-ubl-answers.json
var samples embed.FS

// perCountry are requests that every format of their country can be generated of.
//
//go:embed countries/*.json
var perCountry embed.FS

// Countries gives the folder of the requests of all countries: CC.json, with the code in lower case.
func Countries() (files embed.FS, folder string) { return perCountry, "countries" }

// XRechnung gives the folder of the requests for an XRechnung and the file that says what is answered to each.
func XRechnung() (files embed.FS, folder, answers string) {
	return samples, "xrechnung-ubl", "xrechnung-ubl-answers.json"
}
