package testdata

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// hybrids are the parties of the countries that have a hybrid and no UBL.
//
//go:embed cii/countries.json
var hybrids embed.FS

// hybridVersions are the versions of each hybrid, as formatOptions names them (contract).
var hybridVersions = map[string][]string{"zugferd": {"2.3", "2.4", "2.5"}, "facturx": {"1.0", "1.07", "1.08", "1.09"}}

// hybridCountries are the countries of each hybrid (contract).
var hybridCountries = map[string][]string{"zugferd": {"CH", "DE"}, "facturx": {"BE", "FR"}}

var hybridProfiles = []string{"BASIC", "EN16931", "EXTENDED"}

// A HybridRequest asks for the CII of a hybrid.
type HybridRequest struct {
	Version, Profile string // as formatOptions names them
	Request
}

// Name is that of the format in results: zugferd-2.4-en16931.
func (r HybridRequest) Name() string {
	return r.Format + "-" + r.Version + "-" + strings.ToLower(r.Profile)
}

// Hybrids gives every scenario of UBL for the CII of each hybrid, in each of its countries, versions and profiles. The error is that of a
// file that is not as it should be.
func Hybrids() ([]HybridRequest, error) {
	countries, others := map[string]country{}, map[string]country{}
	if err := read("ubl/countries.json", &countries); err != nil {
		return nil, err
	}
	if err := readFrom(hybrids, "cii/countries.json", &others); err != nil {
		return nil, err
	}
	maps.Copy(countries, others)
	var list struct {
		Base      map[string]any
		Scenarios []scenario
	}
	if err := read("ubl/scenarios.json", &list); err != nil {
		return nil, err
	}
	var requests []HybridRequest
	for _, format := range slices.Sorted(maps.Keys(hybridVersions)) {
		for _, code := range hybridCountries[format] {
			for _, s := range list.Scenarios {
				body, err := countries[code].request(code, list.Base, s)
				if err != nil {
					return nil, fmt.Errorf("make scenario %s of %s: %w", s.Name, code, err)
				}
				for _, version := range hybridVersions[format] {
					for _, profile := range hybridProfiles {
						requests = append(requests, HybridRequest{version, profile, Request{Country: code, Format: format, Scenario: s.Name, Body: asHybrid(body, version, profile)}})
					}
				}
			}
		}
	}
	return requests, nil
}

// asHybrid asks for the CII of a profile in a version.
func asHybrid(body []byte, version, profile string) []byte {
	options, _ := json.Marshal(map[string]string{"output": "xml", "version": version, "profile": profile}) // strings always encode
	return slices.Concat([]byte(`{"formatOptions":`), options, []byte(`,`), body[1:])
}
