package invoice

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestCheckDigitsOutside02To98AreRefused makes IBANs whose remainder is right with the check digits 00, 01 and 99, which ISO/IEC
// 7064 never gives.
func TestCheckDigitsOutside02To98AreRefused(t *testing.T) {
	found := map[string]bool{}
	for i := 0; len(found) < 3 && i < 2000; i++ {
		bban := fmt.Sprintf("3704004405320%05d", i)
		for _, digits := range []string{"00", "01", "99"} {
			if remainderOf(bban+"DE"+digits) == 1 {
				found[digits] = true
				if ValidIBAN("DE" + digits + bban) {
					t.Errorf("DE%s%s is taken", digits, bban)
				}
			}
		}
	}
	if len(found) != 3 {
		t.Errorf("only %v were tried", found)
	}
}

// remainderOf is the remainder modulo 97 of a text with letters as 10 to 35.
func remainderOf(text string) (remainder int) {
	for _, r := range text {
		digits := string(r)
		if r >= 'A' {
			digits = fmt.Sprint(r - 'A' + 10)
		}
		for _, d := range digits {
			remainder = (remainder*10 + int(d-'0')) % 97
		}
	}
	return remainder
}

// TestEveryAccountHasOneIBAN draws accounts: the check digits by ISO/IEC 7064 are taken, all others refused.
func TestEveryAccountHasOneIBAN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		country, bban := rapid.StringMatching("[A-Z]{2}").Draw(t, "country"), rapid.StringMatching("[0-9A-Z]{11,30}").Draw(t, "account")
		check := 98 - remainderOf(bban+country+"00")
		for digits := range 100 {
			iban := fmt.Sprintf("%s%02d%s", country, digits, bban)
			if ValidIBAN(iban) != (digits == check) {
				t.Fatalf("%s: valid %t, the check digits are %02d", iban, ValidIBAN(iban), check)
			}
		}
	})
}

func TestDaysAreAddedAcrossTheCalendar(t *testing.T) {
	cases := []struct {
		date Date
		days int
		want Date
	}{
		{"2026-02-20", 14, "2026-03-06"}, {"2024-02-28", 1, "2024-02-29"}, {"2026-12-31", 1, "2027-01-01"}, {"2026-01-01", -1, "2025-12-31"}, {"2026-01-01", 0, "2026-01-01"}, {"never", 5, "never"}, {"", 5, ""},
		{"9999-12-31", 1, ""}, {"0001-01-01", -1, ""}, {"2026-01-01", 1 << 62, ""}, {"2026-01-01", -1 << 62, ""}, {"0001-01-01", 3652058, "9999-12-31"},
	}
	for _, c := range cases {
		if got := c.date.AddDays(c.days); got != c.want {
			t.Errorf("%s and %d days: %q, want %q", c.date, c.days, got, c.want)
		}
	}
}

func TestAddedDaysAreTakenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := Date(time.Unix(rapid.Int64Range(-1<<33, 1<<33).Draw(t, "second"), 0).UTC().Format(time.DateOnly))
		n := rapid.IntRange(-5000, 5000).Draw(t, "days")
		if later := day.AddDays(n); !later.Valid() || later.AddDays(-n) != day || (n > 0) != (later > day) && n != 0 {
			t.Fatalf("%s and %d days: %s", day, n, later)
		}
	})
}
