package xmltree

import "encoding/binary"

// value says what the value of a node is, in one of three ways. A short text lies in the node itself: rules compare little else, and
// the source of a long document is in no cache when they do. Otherwise it is a slice of the source or, where something had to be
// decoded, of the decoded values: two offsets. Or it is none of these: complexContent.
//
// The last byte tells them apart. Both offsets are below inDecoded, so that of the second its highest bit is free.
type value [8]byte

const (
	inDecoded   = 1 << 31 // in the first offset: both refer to the decoded values
	inNode      = 1 << 7  // in the last byte, beside the length of the text
	mostInNode  = 7       // length of a text that lies in the node
	complexMark = 0xFF
)

// complexContent is the value of an element that is not one slice.
var complexContent = value{7: complexMark}

// valueAt is a slice of the source, or of the decoded values if from says so.
func valueAt(from, to uint32) (v value) {
	binary.LittleEndian.PutUint32(v[:4], from)
	binary.LittleEndian.PutUint32(v[4:], to)
	return v
}

// shortened is valueAt with a short text of the source in the node itself.
func shortened(src []byte, from, to uint32) (v value) {
	n := to - from
	if n > mostInNode || from&inDecoded != 0 {
		return valueAt(from, to)
	}
	if int(from)+len(v) <= len(src) {
		v.set(shortWord(word(src, int(from)), int(n)))
		return v
	}
	copy(v[:], src[from:to])
	v[7] = inNode | byte(n)
	return v
}

// word is v in one word, and set makes v what word gave.
func (v *value) word() uint64 { return binary.LittleEndian.Uint64(v[:]) }

func (v *value) set(w uint64) { binary.LittleEndian.PutUint64(v[:], w) }

// sliceWord is the word of valueAt, and shortWord that of a text of n bytes that lies in the node and begins w.
func sliceWord(from, to int) uint64 { return uint64(uint32(from)) | uint64(to)<<32 }

func shortWord(w uint64, n int) uint64 { return w&(1<<(8*n)-1) | uint64(inNode|n)<<56 }

func (v *value) isComplex() bool { return v[7] == complexMark }

// of gives the value in a document with that source and decoded values; complexContent has none. It is valid as long as the
// place where v lies.
func (v *value) of(src, decoded []byte) []byte {
	if v[7]&inNode != 0 {
		n := v[7] &^ inNode
		return v[:n:n]
	}
	from, to := binary.LittleEndian.Uint32(v[:4]), binary.LittleEndian.Uint32(v[4:])
	if from&inDecoded == 0 {
		return src[from:to:to]
	}
	return decoded[from&^inDecoded : to : to]
}

// decodedAt tells where among the decoded values it begins; ok is false when it lies elsewhere.
func (v *value) decodedAt() (from int, ok bool) {
	first := binary.LittleEndian.Uint32(v[:4])
	return int(first &^ inDecoded), v[7]&inNode == 0 && first&inDecoded != 0
}

func (v *value) isDecoded() bool {
	_, decoded := v.decodedAt()
	return decoded
}
