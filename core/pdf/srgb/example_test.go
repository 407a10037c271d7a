package srgb_test

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/einvoiced/einvoiced/core/pdf/srgb"
)

// The profile that says what the red of a letterhead is. Its header (ISO 15076-1 §7.2) names its length, the class monitor, the colours that
// come in and those that they become, and that it is a profile at all; it is the same each time.
func ExampleProfile() {
	profile := srgb.Profile()
	fmt.Println(int(binary.BigEndian.Uint32(profile)) == len(profile))
	fmt.Printf("%s, %s to %s, %s\n", profile[12:16], bytes.TrimSpace(profile[16:20]), bytes.TrimSpace(profile[20:24]), profile[36:40])
	fmt.Println(srgb.Condition, srgb.Components, bytes.Equal(profile, srgb.Profile()))
	// Output:
	// true
	// mntr, RGB to XYZ, acsp
	// sRGB IEC61966-2.1 3 true
}
