package ksef

import "testing"

// TestTable_Compiles ensures that every row has a member and a place.
func TestTable_Compiles(t *testing.T) {
	if _, err := New(); err != nil {
		t.Fatal(err)
	}
}
