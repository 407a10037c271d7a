package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/peppol"
	"github.com/einvoiced/einvoiced/storage/webhook"
)

// TestToJSON_KeepsOrderAndNumbers ensures that members keep their order and numbers their text, and that members which a mapping
// takes over are replaced by its own.
func TestToJSON_KeepsOrderAndNumbers(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"order", "b: 1\na: {d: x, c: [true, null]}", `{"b":1,"a":{"d":"x","c":[true,null]}}`},
		{"scale", "price: 25.00", `{"price":25.00}`},
		{"taken over", "a: &a {x: 1, y: 2}\nb: {<<: *a, z: 3, y: 4}", `{"a":{"x":1,"y":2},"b":{"x":1,"y":4,"z":3}}`},
		{"taken over last", "a: &a {x: 1, y: 2}\nb: {y: 4, <<: *a}", `{"a":{"x":1,"y":2},"b":{"x":1,"y":4}}`},
		{"taken over twice", "a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b}", `{"a":{"x":1},"b":{"x":1,"y":2},"c":{"x":1,"y":2}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := string(must(toJSON([]byte(c.source)))(t)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestToJSON_RefusesWhatReadersWouldReadDifferently ensures that a member which stands twice does not pass in silence, at any depth.
func TestToJSON_RefusesWhatReadersWouldReadDifferently(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"twice at the top", "a: 1\nb: 2\na: 3", "line 3: a stands in line 1 already"},
		{"twice below", "a:\n  Delivery: {type: object}\n  Other: {}\n  Delivery: {type: string}", "line 4: Delivery stands in line 2 already"},
		{"twice in a list", "a:\n  - {x: 1, x: 2}", "line 2: x stands in line 2 already"},
		{"taken from nowhere", "a: {<<: {x: 1}}", "line 1: << takes one mapping by its anchor"},
		{"a number that is none in JSON", "a: 0x10", "line 1: 0x10 is not written as in JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if out, err := toJSON([]byte(c.source)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %v; want the error %q", out, err, c.want)
			}
		})
	}
}

// TestOpenAPI_GivesExamples ensures that every answer of success has an example in each of its media types, that every parameter of
// a path has one, and that examples are what their schemas say.
func TestOpenAPI_GivesExamples(t *testing.T) {
	examples := 0
	for path, item := range contract(t).Paths.Map() {
		if len(item.Parameters) > 0 {
			t.Errorf("%s: the documentation page does not show parameters that stand outside of operations", path)
		}
		for method, op := range item.Operations() {
			place := method + " " + path
			for _, p := range op.Parameters {
				if p.Value.In == openapi3.ParameterInPath && p.Value.Example == nil {
					t.Errorf("%s: the parameter %s has no example", place, p.Value.Name)
				}
			}
			for status, answer := range op.Responses.Map() {
				if !strings.HasPrefix(status, "2") {
					continue
				}
				for mediaType, content := range answer.Value.Content {
					examples += checkExamples(t, fmt.Sprintf("%s, %s, %s", place, status, mediaType), content)
				}
			}
		}
	}
	for name, item := range contract(t).Webhooks {
		examples += checkExamples(t, name, item.Post.RequestBody.Value.Content[typeJSON])
	}
	if examples < 40 {
		t.Errorf("only %d examples were checked", examples)
	}
}

func checkExamples(t *testing.T, place string, content *openapi3.MediaType) int {
	t.Helper()
	if len(content.Examples) == 0 {
		t.Errorf("%s: there is no example", place)
	}
	for name, example := range content.Examples {
		if err := content.Schema.Value.VisitJSON(example.Value.Value, openapi3.MultiErrors()); err != nil {
			t.Errorf("%s: the example %s is not as described: %v", place, name, err)
		}
	}
	return len(content.Examples)
}

// TestOpenAPI_DescribesEveryEvent ensures that the section webhooks has exactly the events that this program sends, and that those
// which webhooks can want are the ones that are described.
func TestOpenAPI_DescribesEveryEvent(t *testing.T) {
	sent := []string{eventJobSucceeded, eventJobFailed, webhook.TestType}
	for _, kind := range append(kinds.All(fakeOperations{}), kinds.Send(nil, nil)) {
		sent = append(sent, kind.Events...)
	}
	slices.Sort(sent)
	if described := slices.Sorted(maps.Keys(contract(t).Webhooks)); !slices.Equal(described, sent) {
		t.Errorf("described are %v, sent are %v", described, sent)
	}
	var wanted []string
	for _, word := range contract(t).Components.Schemas["EventType"].Value.Enum {
		wanted = append(wanted, fmt.Sprint(word))
	}
	if !slices.Equal(wanted, webhook.Types) {
		t.Errorf("EventType: described are %v, the code has %v", wanted, webhook.Types)
	}
}

// TestOpenAPI_DescribesWhatEventsCarry ensures that the objects of events are as the section webhooks says.
func TestOpenAPI_DescribesWhatEventsCarry(t *testing.T) {
	events := []ledger.Event{
		JobEvent(ledger.Job{ID: "job_1", Kind: "generate:de:xrechnung", State: ledger.Succeeded}, nil),
		JobEvent(ledger.Job{ID: "job_1", Kind: "parse", State: ledger.Failed, Metadata: map[string]string{"run": "7"}}, []byte(`{"error":"Bad Request","message":"no","errors":[{"code":"X","message":"no","field":"data"}]}`)),
	}
	transmission := peppol.Transmission{ID: "trm_1", State: peppol.Failed, MessageID: "m", Code: "PEPPOL_SEND_FAILED", Reason: "no", Ended: time.Unix(1, 0)}
	for _, state := range []string{"sent", "delivered", "failed"} {
		events = append(events, ledger.Event{Type: "peppol." + state, Object: TransmissionObject(transmission)})
	}
	for _, o := range []job.Order{
		{Operation: "generate", Country: "de", Format: "xrechnung"},
		{Operation: "validate", Country: "de", Format: "xrechnung"},
		{Operation: "validate", Country: "de", Format: "xrechnung", Body: []byte("FAKE-INVALID")},
		{Operation: "validate", Country: "de"},
	} {
		events = append(events, must(kinds.All(fakeOperations{}).Perform(t.Context(), job.Run{}, &o))(t).Events...)
	}
	if len(events) != 9 {
		t.Errorf("%d events", len(events))
	}
	for _, e := range events {
		body := fmt.Appendf(nil, `{"id":"evt_1","type":%q,"created":"2026-03-02T09:00:00.000Z","data":{"object":%s}}`, e.Type, e.Object)
		described := contract(t).Webhooks[e.Type].Post.RequestBody.Value.Content[typeJSON].Schema.Value
		if err := described.VisitJSON(decoded(t, body), openapi3.MultiErrors()); err != nil {
			t.Errorf("%s is not as described: %v\n%s", e.Type, err, body)
		}
	}
}

// TestOpenAPI_IsWhatGeneratorsRead ensures that the description keeps to what generators of clients understand: amounts that none
// of them takes for 32-bit floats, enumerations with a type instead of constants, members where members are required, and no parts
// that are to be joined.
func TestOpenAPI_IsWhatGeneratorsRead(t *testing.T) {
	var doc map[string]any
	if err := json.Unmarshal(must(OpenAPI())(t), &doc); err != nil {
		t.Fatal(err)
	}
	if seen := checkSchemas(t, "#", doc); seen < 500 {
		t.Errorf("only %d schemas were checked", seen)
	}
}

// TestOpenAPI_KeepsEventsApart ensures that no event has the tag of a route: generators write a file for each tag, and the one of the
// events would replace the one of the routes.
func TestOpenAPI_KeepsEventsApart(t *testing.T) {
	var tags []string
	for _, item := range contract(t).Paths.Map() {
		for _, op := range item.Operations() {
			tags = append(tags, op.Tags...)
		}
	}
	for name, item := range contract(t).Webhooks {
		for _, tag := range item.Post.Tags {
			if slices.Contains(tags, tag) {
				t.Errorf("%s has the tag %s, which routes have", name, tag)
			}
		}
	}
}

// TestOpenAPI_LeavesNamesToConstructors ensures that no schema is called New and another one: that is the constructor of the other in
// Go clients.
func TestOpenAPI_LeavesNamesToConstructors(t *testing.T) {
	schemas := contract(t).Components.Schemas
	for name := range schemas {
		if other, ok := strings.CutPrefix(name, "New"); ok && schemas[other] != nil {
			t.Errorf("the schema %s has the name of the constructor of %s", name, other)
		}
	}
}

// checkSchemas checks all schemas below a node and tells how many they are.
func checkSchemas(t *testing.T, path string, node any) (seen int) {
	switch n := node.(type) {
	case []any:
		for i, inner := range n {
			seen += checkSchemas(t, fmt.Sprintf("%s/%d", path, i), inner)
		}
	case map[string]any:
		if n["type"] != nil || n["enum"] != nil || n["const"] != nil || n["allOf"] != nil || n["required"] != nil {
			seen++
			checkSchema(t, path, n)
		}
		for name, inner := range n {
			if name != "example" && name != "examples" && name != "enum" && name != "required" {
				seen += checkSchemas(t, path+"/"+name, inner)
			}
		}
	}
	return seen
}

func checkSchema(t *testing.T, path string, schema map[string]any) {
	if schema["type"] == "number" && schema["format"] != "double" {
		t.Errorf("%s: a number without the format double is a 32-bit float in Go clients", path)
	}
	if _, ok := schema["const"].(map[string]any); schema["const"] != nil && !ok {
		t.Errorf("%s: a const; write an enum of one word", path)
	}
	if _, ok := schema["allOf"].([]any); ok {
		t.Errorf("%s: allOf; take the members over with <<", path)
	}
	if words, ok := schema["enum"].([]any); ok && schema["type"] == nil {
		t.Errorf("%s: the words %v have no type", path, words)
	}
	if words, ok := schema["enum"].([]any); ok && slices.Contains(words, any(true)) {
		t.Errorf("%s: clients in PHP refuse the word true; leave the enum out", path)
	}
	required, _ := schema["required"].([]any)
	members, _ := schema["properties"].(map[string]any)
	for _, name := range required {
		if members[name.(string)] == nil {
			t.Errorf("%s: requires %s, which it does not describe", path, name)
		}
	}
}
