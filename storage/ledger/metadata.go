package ledger

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// What a job's metadata may be.
const (
	MostPairs = 16
	MostKey   = 40  // characters of a name, at least 1
	MostValue = 500 // characters of a value
)

// CheckMetadata tells what is wrong with the metadata of a job. The error is ErrInvalid.
func CheckMetadata(metadata map[string]string) error {
	if len(metadata) > MostPairs {
		return fmt.Errorf("metadata has %d pairs, at most %d are allowed: %w", len(metadata), MostPairs, ErrInvalid)
	}
	for key, value := range metadata {
		if n := utf8.RuneCountInString(key); n == 0 || n > MostKey || !utf8.ValidString(key) {
			return fmt.Errorf("metadata key %.80q is not 1 to %d characters long: %w", key, MostKey, ErrInvalid)
		}
		if utf8.RuneCountInString(value) > MostValue || !utf8.ValidString(value) {
			return fmt.Errorf("metadata value of %q has more than %d characters: %w", key, MostValue, ErrInvalid)
		}
	}
	return nil
}

// encodeMetadata gives the JSON that the row keeps; nothing for no metadata.
func encodeMetadata(metadata map[string]string) string {
	if len(metadata) == 0 {
		return ""
	}
	text, _ := json.Marshal(metadata) // a map of strings has no errors
	return string(text)
}

// decodeMetadata is the inverse of encodeMetadata.
func decodeMetadata(text string) map[string]string {
	if text == "" {
		return nil
	}
	var metadata map[string]string
	_ = json.Unmarshal([]byte(text), &metadata) // the row has what encodeMetadata gave
	return metadata
}
