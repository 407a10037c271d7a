package pdf

import "bytes"

// Markers of JPEG (ITU-T T.81, table B.1).
const (
	sof0, sof2   = 0xC0, 0xC2 // frames: baseline; progressive, of which all coefficients are held until the last scan
	sof15        = 0xCF
	dht, jpg     = 0xC4, 0xC8 // among the numbers of frames and none
	dac          = 0xCC
	rst0, rst7   = 0xD0, 0xD7
	fill, stuffs = 0xFF, 0x00
)

// maxScanned is how many pixels of a JPEG may be gone through: each scan goes through all of them, however few bytes it has.
const maxScanned = 20 * MaxImagePixels

// scans is how many scans a JPEG has at most: what looks like the beginning of one may stand in other data, of a small picture in it say.
func scans(data []byte) int { return bytes.Count(data, []byte{0xFF, 0xDA}) }

// progressive tells whether the frame of a JPEG is progressive (T.81 G.1). It passes over what decoders pass over: bytes between segments, and fill bytes.
func progressive(data []byte) bool {
	for rest := data[2:]; ; {
		at := bytes.IndexByte(rest, fill)
		if at < 0 {
			return false
		}
		for rest = rest[at:]; len(rest) > 0 && rest[0] == fill; rest = rest[1:] {
		}
		if len(rest) < 3 {
			return false
		}
		marker, size := rest[0], int(rest[1])<<8|int(rest[2])
		switch {
		case marker >= sof0 && marker <= sof15 && marker != dht && marker != jpg && marker != dac:
			return marker == sof2
		case marker == stuffs || marker >= rst0 && marker <= rst7:
			rest = rest[1:]
		case len(rest) < 1+size:
			return false
		default:
			rest = rest[1+size:]
		}
	}
}
