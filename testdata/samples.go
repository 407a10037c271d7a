// Package testdata has the example requests of the tests, so that the program can show them.
package testdata

import "embed"

// samples are requests for an XRechnung: a file for each, named after what it is about.
//
//go:embed xrechnung-ubl/*.json xrechnung-ubl-answers.json
var samples embed.FS

// XRechnung gives the folder of the requests for an XRechnung and the file that says what is answered to each.
func XRechnung() (files embed.FS, folder, answers string) {
	return samples, "xrechnung-ubl", "xrechnung-ubl-answers.json"
}
