package api

import (
	"maps"
	"net/url"
	"slices"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
)

// unknownParameters is the information on parameters of a query that are not known and resemble a known one (supplement §1, rule 2).
func unknownParameters(query url.Values, known []string) []operation.Info {
	var infos []operation.Info
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(known, name) {
			infos = resembled(infos, "the query parameter "+clip(name), name, known)
		}
	}
	return infos
}

// infosListed is how many entries about names of a request there are at most.
const infosListed = 100

// resembled adds the information on an unknown name that resembles a known one.
func resembled(infos []operation.Info, place, name string, known []string) []operation.Info {
	if len(infos) == infosListed {
		return infos
	}
	if meant := finding.Resembling(name, known); meant != "" {
		infos = append(infos, operation.Info{Code: finding.UnknownMember, Message: finding.UnknownNote(place, meant)})
	}
	return infos
}
