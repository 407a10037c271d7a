//go:build oracles

package clients

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
)

// hashOf is the SHA-256 in lower-case hex.
func hashOf(document []byte) string {
	sum := sha256.Sum256(document)
	return hex.EncodeToString(sum[:])
}

// leaves gives a document as lines of path, attributes and text. Texts of amounts, quantities and percentages are given by value, since
// languages without decimals do not keep the scale: 25 for 25.00.
func leaves(t *testing.T, document []byte) []string {
	t.Helper()
	var lines, path []string
	d := xml.NewDecoder(bytes.NewReader(document))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatalf("the document is no XML: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			path = append(path, token.Name.Local)
			for _, a := range token.Attr {
				lines = append(lines, strings.Join(path, "/")+"/@"+a.Name.Local+" "+a.Value)
			}
		case xml.EndElement:
			path = path[:len(path)-1]
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				lines = append(lines, strings.Join(path, "/")+" "+valueOf(path[len(path)-1], text))
			}
		}
	}
}

func valueOf(element, text string) string {
	if !strings.HasSuffix(element, "Amount") && !strings.HasSuffix(element, "Quantity") && element != "Percent" {
		return text
	}
	if v, err := decimal.NewFromString(text); err == nil {
		return v.String()
	}
	return text
}
