// Package facturx holds the code lists of Factur-X / ZUGFeRD: a file for each list, or for each version of it that differs, named
// for the list and the first version that has it. Lines that begin with # say what it is; each other line is a code.
package facturx

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.txt
var files embed.FS

// Codes gives the codes of a list in their order, e.g. of currencies-1.08.
func Codes(list string) ([]string, error) {
	text, err := files.ReadFile(list + ".txt")
	if err != nil {
		return nil, fmt.Errorf("read code list %s: %w", list, err)
	}
	var codes []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			codes = append(codes, line)
		}
	}
	return codes, nil
}
