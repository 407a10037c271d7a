package api

import (
	"bytes"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job/answers"
)

// pageQuery are the parameters of every list.
var pageQuery = []string{"limit", "starting_after", "ending_before"}

// queries are the parameters of the routes that order no operation, by the name of the route; those of the others are in orderings.
var queries = map[string][]string{
	"createJobs":     {"operation"},
	"listJobs":       pageQuery,
	"listKeys":       pageQuery,
	"listWebhooks":   pageQuery,
	"listDeliveries": pageQuery,
	"listTemplates":  pageQuery,
	"getTemplate":    {"version"},
	"listRulebooks":  pageQuery,
	"diffRulebooks":  {"from", "to"},
	"getUsage":       {"from", "to"},

	"verifactuExport":   {"from", "to", "format", "limit", "starting_after", "installation"},
	"listTransmissions": pageQuery,
}

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

// notice takes up the members of a JSON object that v, a pointer to a struct, does not have and that resemble one which it has.
func (c *call) notice(body []byte, v any) {
	var given map[string]jsontext.Value
	if json.Unmarshal(body, &given) != nil {
		return
	}
	var known []string
	for t, i := reflect.TypeOf(v).Elem(), 0; i < t.NumField(); i++ {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		known = append(known, name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			c.infos = resembled(c.infos, clip(name), name, known)
		}
	}
}

// inform adds infos to an answer that is a JSON object, where there is anything to tell of the request. What was stored of an earlier
// answer has them already.
func (c *call) inform(a *answer) {
	if len(c.infos) == 0 || a.contentType != typeJSON || a.header.Get(replayed) != "" || !bytes.HasSuffix(a.body, []byte("}")) {
		return
	}
	begin := append(bytes.Clone(a.body[:len(a.body)-1]), `,"infos":`...)
	a.body = append(append(begin, answers.JSON(c.infos)...), '}')
	c.infos = nil
}
