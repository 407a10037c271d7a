package api

import (
	_ "embed"
	"fmt"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"gopkg.in/yaml.v3"
)

//go:embed openapi.yaml
var openAPISource []byte

// OpenAPI gives the interface description as JSON, with its members in the order of openapi.yaml.
var OpenAPI = sync.OnceValues(func() ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(openAPISource, &doc); err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	out, err := appendNode(nil, &doc)
	if err != nil {
		return nil, fmt.Errorf("translate openapi.yaml: %w", err)
	}
	return out, nil
})

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

func appendMapping(b []byte, n *yaml.Node) (_ []byte, err error) {
	b = append(b, '{')
	for i := 0; i < len(n.Content); i += 2 {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = jsontext.AppendQuote(b, n.Content[i].Value); err != nil {
			return nil, err
		}
		if b, err = appendNode(append(b, ':'), n.Content[i+1]); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
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
