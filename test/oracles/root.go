package oracles

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// root gives the namespace and name of the root element, and the specification identifier (BT-24): the text of its child
// CustomizationID, or in CII that of the identifier of its guideline.
func root(data []byte) (name xml.Name, specification string, err error) {
	d := xml.NewDecoder(bytes.NewReader(utf8FromUTF16(data)))
	d.CharsetReader = readCharset
	depth, guideline := 0, false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return name, "", nil
		}
		if err != nil {
			return name, "", fmt.Errorf("read the head of the document: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth == 1 {
				name = t.Name
			} else if depth == 2 && t.Name.Local == "CustomizationID" {
				return name, textOf(d), nil
			}
			if guideline && t.Name.Local == "ID" {
				return name, textOf(d), nil
			}
			guideline = guideline || t.Name.Local == "GuidelineSpecifiedDocumentContextParameter"
		case xml.EndElement:
			depth--
		}
	}
}

func textOf(d *xml.Decoder) string {
	token, err := d.Token()
	if text, ok := token.(xml.CharData); ok && err == nil {
		return strings.TrimSpace(string(text))
	}
	return ""
}

// utf8FromUTF16 converts a document that begins with the byte order mark of UTF-16 and leaves every other as it is.
func utf8FromUTF16(data []byte) []byte {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		order = binary.BigEndian
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		order = binary.LittleEndian
	default:
		return data
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		units = append(units, order.Uint16(data[i:]))
	}
	return []byte(string(utf16.Decode(units)))
}

// readCharset reads Latin-1; what declares UTF-16 has been converted before.
func readCharset(name string, in io.Reader) (io.Reader, error) {
	switch strings.ToLower(name) {
	case "utf-16":
		return in, nil
	case "iso-8859-1":
		data, err := io.ReadAll(in)
		if err != nil {
			return nil, err
		}
		text := make([]rune, len(data))
		for i, b := range data {
			text[i] = rune(b)
		}
		return strings.NewReader(string(text)), nil
	}
	return nil, fmt.Errorf("the encoding %s is not known here", name)
}
