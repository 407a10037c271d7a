package validate

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"testing"
)

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func writeIn(t testing.TB, root *os.Root, name, text string) {
	t.Helper()
	if err := root.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
