// Package srgb computes the ICC profile of the colour space sRGB (IEC 61966-2-1), which output intents of PDF/A name. The profile is
// computed from the numbers of the standard in exact fractions, so that it has the same bytes on every machine.
package srgb

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"math/big"
	"unicode/utf16"
)

// Condition is the identifier of the output condition (ISO 32000-1 §14.11.5, OutputConditionIdentifier).
const Condition = "sRGB IEC61966-2.1"

// Components is how many components a colour has: N of the stream of the profile (ISO 32000-1 §8.6.5.5).
const Components = 3

// The texts inside the profile.
const (
	description = Condition
	copyright   = "No rights are reserved in this profile."
)

// chromaticity is x and y of CIE 1931 in units of 1/10000.
type chromaticity struct{ x, y int64 }

// The primaries and the white point D65 of IEC 61966-2-1 (ITU-R BT.709).
var (
	primaries = [Components]chromaticity{{6400, 3300}, {3000, 6000}, {1500, 600}}
	white     = chromaticity{3127, 3290}
)

// illuminant is D50 in units of 1/10000, as ISO 15076-1 §7.2.16 has it.
var illuminant = vector{big.NewRat(9642, 10000), big.NewRat(1, 1), big.NewRat(8249, 10000)}

// bradford leads from XYZ to the responses of the eye in units of 1/10000 (ISO 15076-1 annex E).
var bradford = [Components][Components]int64{{8951, 2664, -1614}, {-7502, 17135, 367}, {389, -685, 10296}}

// curve is the transfer function of IEC 61966-2-1 as a parametric curve of type 3 (ISO 15076-1 §10.18): Y = (aX+b)^g from d on, cX below.
var curve = []*big.Rat{big.NewRat(24, 10), big.NewRat(1000, 1055), big.NewRat(55, 1055), big.NewRat(100, 1292), big.NewRat(4045, 100000)}

// Profile gives the profile: version 4.2 of the format (ISO 15076-1:2005, which ISO 32000-1 §8.6.5.5 allows), class monitor. The caller may
// change the bytes.
func Profile() []byte {
	adaptation := adaptation()
	colorants := adaptation.times(colorants())
	tags := []tag{
		{"desc", text(description)}, {"cprt", text(copyright)},
		{"wtpt", xyz(illuminant)},
		{"chad", numbers("sf32", append(append(adaptation[0][:], adaptation[1][:]...), adaptation[2][:]...))},
		{"rXYZ", xyz(colorants.column(0))}, {"gXYZ", xyz(colorants.column(1))}, {"bXYZ", xyz(colorants.column(2))},
	}
	parametric := numbers("para", curve)
	parametric = append(parametric[:8:8], append([]byte{0, 3, 0, 0}, parametric[8:]...)...)
	for _, name := range []string{"rTRC", "gTRC", "bTRC"} {
		tags = append(tags, tag{name, parametric})
	}
	return assemble(tags)
}

// colorants is the matrix from linear RGB to XYZ: the primaries, scaled so that together they are the white point.
func colorants() matrix {
	var m matrix
	for i, p := range primaries {
		c := p.xyz()
		for row := range m {
			m[row][i] = c[row]
		}
	}
	return m.times(diagonal(m.inverse().apply(white.xyz())))
}

// xyz is the colour with Y = 1.
func (c chromaticity) xyz() vector {
	return vector{big.NewRat(c.x, c.y), big.NewRat(1, 1), big.NewRat(10000-c.x-c.y, c.y)}
}

// adaptation leads from colours under the white point to those under the illuminant, by the method of Bradford.
func adaptation() matrix {
	var cone matrix
	for i, row := range bradford {
		for j, v := range row {
			cone[i][j] = big.NewRat(v, 10000)
		}
	}
	from, to := cone.apply(white.xyz()), cone.apply(illuminant)
	var ratio vector
	for i := range ratio {
		ratio[i] = new(big.Rat).Quo(to[i], from[i])
	}
	return cone.inverse().times(diagonal(ratio)).times(cone)
}

// tag is an element of the profile.
type tag struct {
	name string
	data []byte
}

// The sizes of the parts of a profile in bytes (ISO 15076-1 §7.2, §7.3).
const (
	headerSize   = 128
	tagEntrySize = 12
)

// assemble puts header, table and elements together. Elements with the same bytes are written once.
func assemble(tags []tag) []byte {
	head := headerSize + 4 + len(tags)*tagEntrySize
	table := binary.BigEndian.AppendUint32(nil, uint32(len(tags)))
	var body []byte
	placed := map[string]int{}
	for _, t := range tags {
		at, ok := placed[string(t.data)]
		if !ok {
			at = head + len(body)
			placed[string(t.data)] = at
			body = append(body, t.data...)
			body = append(body, make([]byte, -len(body)&3)...)
		}
		table = append(table, t.name...)
		table = binary.BigEndian.AppendUint32(table, uint32(at))
		table = binary.BigEndian.AppendUint32(table, uint32(len(t.data)))
	}
	profile := append(append(header(head+len(body)), table...), body...)
	// The identifier is the digest of the profile without flags, intent and itself, which are zero here (§7.2.18).
	sum := md5.Sum(profile)
	copy(profile[84:], sum[:])
	return profile
}

// header is the header of a profile of so many bytes (§7.2). Its date is that of the standard that it follows, not that of its making.
func header(size int) []byte {
	h := make([]byte, headerSize)
	binary.BigEndian.PutUint32(h, uint32(size))
	binary.BigEndian.PutUint32(h[8:], 0x04200000)
	copy(h[12:], "mntrRGB XYZ ")
	for i, part := range []uint16{1999, 10, 18, 0, 0, 0} {
		binary.BigEndian.PutUint16(h[24+2*i:], part)
	}
	copy(h[36:], "acsp")
	copy(h[68:], xyz(illuminant)[8:])
	return h
}

// text is a text in English (§10.13, multiLocalizedUnicodeType).
func text(s string) []byte {
	const recordsAt, recordSize = 16, 12
	units := utf16.Encode([]rune(s))
	data := append([]byte("mluc"), 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, recordSize)
	data = append(data, "enUS"...)
	data = binary.BigEndian.AppendUint32(data, uint32(2*len(units)))
	data = binary.BigEndian.AppendUint32(data, recordsAt+recordSize)
	for _, unit := range units {
		data = binary.BigEndian.AppendUint16(data, unit)
	}
	return data
}

// xyz is one colour (§10.31, XYZType).
func xyz(v vector) []byte { return numbers("XYZ ", v[:]) }

// numbers are fractions in the form of a type whose data is nothing else (§4.6, s15Fixed16Number).
func numbers(kind string, list []*big.Rat) []byte {
	var data bytes.Buffer
	data.WriteString(kind)
	data.Write(make([]byte, 4))
	for _, r := range list {
		_ = binary.Write(&data, binary.BigEndian, fixed(r)) // a buffer takes everything
	}
	return data.Bytes()
}

// fixed is the nearest number of 1/65536.
func fixed(r *big.Rat) int32 {
	doubled := new(big.Rat).Mul(r, big.NewRat(2<<16, 1))
	doubled.Add(doubled, big.NewRat(1, 1))
	n := new(big.Int).Div(doubled.Num(), new(big.Int).Mul(doubled.Denom(), big.NewInt(2)))
	return int32(n.Int64())
}
