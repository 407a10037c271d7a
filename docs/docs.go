// Package docs holds the guides and the example request, so that the program has them where there is no network.
package docs

import (
	"bytes"
	"embed"
	"io/fs"
)

//go:embed *.md countries/*.md images/*.png example.json
var files embed.FS

//go:embed example.json
var example []byte

// Files gives the guides, as Markdown, the pages of the countries in the folder countries, their pictures in images, and example.json.
func Files() fs.FS { return files }

// Example gives a copy of example.json, a whole request to generate an XRechnung.
func Example() []byte { return bytes.Clone(example) }
