package ledger

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// What a job's metadata may be.
const (
	mostPairs = 16
	mostKey   = 40  // characters
	mostValue = 500 // characters
)

func checkMetadata(metadata map[string]string) error {
	if len(metadata) > mostPairs {
		return fmt.Errorf("metadata has %d pairs, at most %d are allowed: %w", len(metadata), mostPairs, ErrInvalid)
	}
	for key, value := range metadata {
		if n := utf8.RuneCountInString(key); n == 0 || n > mostKey || !utf8.ValidString(key) {
			return fmt.Errorf("metadata key %.80q is not 1 to %d characters long: %w", key, mostKey, ErrInvalid)
		}
		if utf8.RuneCountInString(value) > mostValue || !utf8.ValidString(value) {
			return fmt.Errorf("metadata value of %q has more than %d characters: %w", key, mostValue, ErrInvalid)
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
