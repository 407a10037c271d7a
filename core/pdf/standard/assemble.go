package standard

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/einvoiced/einvoiced/core/pdf/block"
)

// template.json is what the templates of all countries share; "opening" stands for how they begin.
//
//go:embed template.json
var sharedText []byte

// openings.json has the blocks that templates begin with, by the layouts of the countries; "details" stands for the numbers and dates.
//
//go:embed openings.json
var openingsText []byte

//go:embed details.json
var detailsText []byte

// generic is the layout of countries that there are no facts of.
const generic = "left"

// assemble makes the template of each layout.
func assemble() (map[string]*block.Template, error) {
	var openings map[string]json.RawMessage
	if err := json.Unmarshal(openingsText, &openings); err != nil {
		return nil, fmt.Errorf("read openings: %w", err)
	}
	templates := map[string]*block.Template{}
	for layout, blocks := range openings {
		blocks = bytes.ReplaceAll(blocks, []byte(`"details"`), bytes.TrimSpace(detailsText))
		text := bytes.Replace(sharedText, []byte(`"opening"`), bytes.Trim(blocks, "[] \n"), 1)
		template, err := block.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("layout %s: %w", layout, err)
		}
		templates[layout] = template
	}
	return templates, nil
}
