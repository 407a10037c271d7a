package api

import (
	"strings"
	"testing"
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
