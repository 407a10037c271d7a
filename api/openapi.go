package api

import (
	_ "embed"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"gopkg.in/yaml.v3"
)

//go:embed openapi.yaml
var openAPISource []byte

// OpenAPI gives the interface description as JSON, with its members in the order of openapi.yaml.
var OpenAPI = sync.OnceValues(func() ([]byte, error) {
	out, err := toJSON(openAPISource)
	if err != nil {
		return nil, fmt.Errorf("put together the description of openapi.yaml: %w", err)
	}
	return out, nil
})

// toJSON translates YAML. Members that a mapping takes over from another (merge key <<) stand in it first, those that it has
// itself win over them, and a member that stands twice is an error: readers would take one or the other.
func toJSON(source []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(source, &doc); err != nil {
		return nil, err
	}
	return appendNode(nil, &doc)
}

// openAPI is GET /openapi.json.
func (s *Server) openAPI(*call) (*answer, error) {
	body, err := OpenAPI()
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, contentType: typeJSON, body: body}, nil
}

// appendNode writes a YAML node as JSON.
func appendNode(b []byte, n *yaml.Node) ([]byte, error) {
	switch n.Kind {
	case yaml.DocumentNode:
		return appendNode(b, n.Content[0])
	case yaml.AliasNode:
		return appendNode(b, n.Alias)
	case yaml.SequenceNode:
		return appendSequence(b, n)
	case yaml.MappingNode:
		return appendMapping(b, n)
	default:
		return appendScalar(b, n)
	}
}

func appendSequence(b []byte, n *yaml.Node) (_ []byte, err error) {
	b = append(b, '[')
	for i, item := range n.Content {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendNode(b, item); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendMapping(b []byte, n *yaml.Node) ([]byte, error) {
	members, err := membersOf(n)
	if err != nil {
		return nil, err
	}
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = jsontext.AppendQuote(b, m.name.Value); err != nil {
			return nil, err
		}
		if b, err = appendNode(append(b, ':'), m.value); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// yamlMember is a member of a mapping.
type yamlMember struct{ name, value *yaml.Node }

// membersOf gives the members of a mapping with those that it takes over.
func membersOf(n *yaml.Node) (members []yamlMember, err error) {
	own := map[string]int{} // line by name
	for i := 0; i < len(n.Content); i += 2 {
		m := yamlMember{n.Content[i], n.Content[i+1]}
		if line, twice := own[m.name.Value]; twice {
			return nil, fmt.Errorf("line %d: %s stands in line %d already", m.name.Line, m.name.Value, line)
		}
		own[m.name.Value] = m.name.Line
		if m.name.ShortTag() != "!!merge" {
			members = put(members, m)
			continue
		}
		if m.value.Kind != yaml.AliasNode || m.value.Alias.Kind != yaml.MappingNode {
			return nil, fmt.Errorf("line %d: << takes one mapping by its anchor", m.name.Line)
		}
		taken, err := membersOf(m.value.Alias)
		if err != nil {
			return nil, err
		}
		for _, t := range members {
			taken = put(taken, t)
		}
		members = taken
	}
	return members, nil
}

// put replaces the member of that name, or adds it.
func put(members []yamlMember, m yamlMember) []yamlMember {
	if at := slices.IndexFunc(members, func(o yamlMember) bool { return o.name.Value == m.name.Value }); at >= 0 {
		members[at] = m
		return members
	}
	return append(members, m)
}

// appendScalar keeps the text of numbers, so that 19.00 in an example stays 19.00.
func appendScalar(b []byte, n *yaml.Node) ([]byte, error) {
	switch n.ShortTag() {
	case "!!int", "!!float", "!!bool", "!!null":
		value := jsontext.Value(n.Value)
		if !value.IsValid() {
			return nil, fmt.Errorf("line %d: %s is not written as in JSON", n.Line, n.Value)
		}
		return append(b, value...), nil
	default:
		return jsontext.AppendQuote(b, n.Value)
	}
}
