package profile

import "testing"

func TestMediaTypeOf_GoesByTheEndOfTheName(t *testing.T) {
	for name, want := range map[string]string{
		"invoice.pdf":    "application/pdf",
		"PHOTO.JPEG":     "image/jpeg",
		"hours.2026.csv": "text/csv",
		"offer.xlsx":     "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		"pdf":            "application/octet-stream",
		"":               "application/octet-stream",
		"a.pdf/b":        "application/octet-stream",
	} {
		if got := mediaTypeOf(name); got != want {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
}
