package srgb

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"math"
	"testing"
)

// element finds an element of a profile by its name.
func element(t *testing.T, profile []byte, name string) []byte {
	t.Helper()
	count := int(binary.BigEndian.Uint32(profile[headerSize:]))
	for i := range count {
		entry := profile[headerSize+4+i*tagEntrySize:]
		if string(entry[:4]) == name {
			at, size := binary.BigEndian.Uint32(entry[4:]), binary.BigEndian.Uint32(entry[8:])
			return profile[at : at+size]
		}
	}
	t.Fatalf("no element %s", name)
	return nil
}

// values reads the fractions of an element from an offset on.
func values(data []byte) (list []float64) {
	for ; len(data) >= 4; data = data[4:] {
		list = append(list, float64(int32(binary.BigEndian.Uint32(data)))/65536)
	}
	return list
}

// TestProfile_HasTheColoursOfTheStandard holds the elements against the values that are published for sRGB under D50. These differ among
// each other in the fourth place, by how the white points are rounded before.
func TestProfile_HasTheColoursOfTheStandard(t *testing.T) {
	profile := Profile()
	for name, want := range map[string][]float64{
		"rXYZ": {0.4361, 0.2225, 0.0139}, "gXYZ": {0.3851, 0.7169, 0.0971}, "bXYZ": {0.1431, 0.0606, 0.7141},
		"wtpt": {0.9642, 1, 0.8249},
		"chad": {1.0479, 0.0229, -0.0502, 0.0296, 0.9904, -0.0171, -0.0092, 0.0151, 0.7517},
	} {
		got := values(element(t, profile, name)[8:])
		if len(got) != len(want) {
			t.Errorf("%s: %v", name, got)
			continue
		}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 0.0003 {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
	}
}

// TestProfile_WhiteIsWhite ensures that the three colorants together are the illuminant, to the bit that rounding leaves open.
func TestProfile_WhiteIsWhite(t *testing.T) {
	profile := Profile()
	sum := make([]float64, 3)
	for _, name := range []string{"rXYZ", "gXYZ", "bXYZ"} {
		for i, v := range values(element(t, profile, name)[8:]) {
			sum[i] += v
		}
	}
	for i, want := range values(element(t, profile, "wtpt")[8:]) {
		if math.Abs(sum[i]-want) > 2.0/65536 {
			t.Errorf("%v at %d, want %v", sum[i], i, want)
		}
	}
}

// TestProfile_HasTheCurveOfTheStandard ensures that the transfer function joins at its threshold, and leads 1 to 1.
func TestProfile_HasTheCurveOfTheStandard(t *testing.T) {
	data := element(t, Profile(), "gTRC")
	if string(data[:4]) != "para" || binary.BigEndian.Uint16(data[8:]) != 3 {
		t.Fatalf("%q", data[:12])
	}
	p := values(data[12:])
	power := func(x float64) float64 { return math.Pow(p[1]*x+p[2], p[0]) }
	if math.Abs(power(1)-1) > 0.0001 || math.Abs(power(p[4])-p[3]*p[4]) > 0.0001 || math.Abs(power(0.5)-0.2140) > 0.0001 {
		t.Errorf("%v", p)
	}
}

// TestProfile_IsWellFormed ensures what readers check before anything: size, signature, identifier, alignment.
func TestProfile_IsWellFormed(t *testing.T) {
	profile := Profile()
	if int(binary.BigEndian.Uint32(profile)) != len(profile) || string(profile[36:40]) != "acsp" || string(profile[12:24]) != "mntrRGB XYZ " {
		t.Errorf("%q", profile[:headerSize])
	}
	plain := bytes.Clone(profile)
	copy(plain[84:100], make([]byte, 16))
	if sum := md5.Sum(plain); !bytes.Equal(sum[:], profile[84:100]) {
		t.Error("the identifier is another")
	}
	for i := range int(binary.BigEndian.Uint32(profile[headerSize:])) {
		entry := profile[headerSize+4+i*tagEntrySize:]
		if at, size := binary.BigEndian.Uint32(entry[4:]), binary.BigEndian.Uint32(entry[8:]); at%4 != 0 || int(at+size) > len(profile) {
			t.Errorf("%s at %d, %d bytes", entry[:4], at, size)
		}
	}
	if again := Profile(); !bytes.Equal(again, profile) {
		t.Error("the profile is not the same twice")
	}
}
