package decimal

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// MarshalJSONTo writes the exact number with its scale, or null for "no number".
func (d Decimal) MarshalJSONTo(enc *jsontext.Encoder) error {
	return enc.WriteValue(d.appendJSON(enc.AvailableBuffer()))
}

// UnmarshalJSONFrom reads a number by the rules of ParseJSON; null gives "no number".
func (d *Decimal) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	return d.UnmarshalJSON(value)
}

// MarshalJSON is MarshalJSONTo for encoding/json.
func (d Decimal) MarshalJSON() ([]byte, error) { return d.appendJSON(nil), nil }

// UnmarshalJSON is UnmarshalJSONFrom for encoding/json.
func (d *Decimal) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*d = Decimal{}
		return nil
	}
	parsed, err := ParseJSON(b)
	if err != nil {
		return fmt.Errorf("read a JSON number: %w", err)
	}
	*d = parsed
	return nil
}

func (d Decimal) appendJSON(dst []byte) []byte {
	if !d.IsSet() {
		return append(dst, "null"...)
	}
	return d.AppendText(dst)
}
