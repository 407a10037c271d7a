package envelope

import (
	"bytes"
	"errors"
	"fmt"
)

// The identifier octets of BER (ITU-T X.690) that envelopes have.
const (
	sequence     = 0x30
	set          = 0x31
	integer      = 0x02
	objectID     = 0x06
	octets       = 0x04
	octetsPieces = 0x24 // an octet string in pieces
	explicit     = 0xA0 // content of an element that may be missing, [0]
)

// signedData is the object identifier 1.2.840.113549.1.7.2 (RFC 5652, 5.1).
var signedData = []byte{0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02}

var (
	errCut     = errors.New("the signed envelope is cut off or damaged")
	errNothing = errors.New("the signed envelope holds no document: its signature is for one beside it")
)

// ber reads the elements of one level, one after the other.
type ber struct{ data []byte }

// element is an element of BER with its identifier octet and its content.
type element struct {
	tag     byte
	content []byte
}

// nested bounds elements of indefinite length within each other.
const nested = 64

// next reads an element.
func (b *ber) next() (element, error) {
	e, rest, err := cut(b.data, 0)
	b.data = rest
	return e, err
}

// wanted reads an element that must have a tag.
func (b *ber) wanted(tag byte) (ber, error) {
	e, err := b.next()
	if err == nil && e.tag != tag {
		err = errCut
	}
	return ber{e.content}, err
}

// cut takes the first element off data.
func cut(data []byte, level int) (element, []byte, error) {
	if len(data) < 2 || data[0]&0x1F == 0x1F || level > nested {
		return element{}, nil, errCut
	}
	tag, first, body := data[0], int(data[1]), data[2:]
	switch {
	case first < 0x80:
		return take(tag, body, first)
	case first > 0x80:
		count, length := first&0x7F, 0
		if count > 4 || len(body) < count {
			return element{}, nil, errCut
		}
		for _, c := range body[:count] {
			length = length<<8 | int(c)
		}
		return take(tag, body[count:], length)
	}
	// Of indefinite length: up to the element of two zeros.
	rest := body
	for !bytes.HasPrefix(rest, []byte{0, 0}) {
		var err error
		if _, rest, err = cut(rest, level+1); err != nil {
			return element{}, nil, err
		}
	}
	return element{tag, body[:len(body)-len(rest)]}, rest[2:], nil
}

func take(tag byte, body []byte, length int) (element, []byte, error) {
	if length < 0 || length > len(body) {
		return element{}, nil, errCut
	}
	return element{tag, body[:length]}, body[length:], nil
}

// signedContent gives the content of a ContentInfo with SignedData (RFC 5652, 3 and 5.1).
func signedContent(data []byte) ([]byte, error) {
	top := ber{data}
	info, err := top.wanted(sequence)
	if err != nil {
		return nil, ErrNone
	}
	kind, err := info.next()
	if err != nil || kind.tag != objectID || !bytes.Equal(kind.content, signedData) {
		return nil, ErrNone
	}
	content, err := within(info, explicit, sequence)
	if err != nil {
		return nil, fmt.Errorf("open the signed envelope: %w", err)
	}
	for _, tag := range []byte{integer, set} { // version, digest algorithms
		if _, err := content.wanted(tag); err != nil {
			return nil, fmt.Errorf("open the signed envelope: %w", err)
		}
	}
	signed, err := content.wanted(sequence)
	if err == nil {
		_, err = signed.wanted(objectID)
	}
	if err != nil {
		return nil, fmt.Errorf("open the signed envelope: %w", err)
	}
	if len(signed.data) == 0 {
		return nil, errNothing
	}
	held, err := signed.wanted(explicit)
	if err != nil {
		return nil, fmt.Errorf("open the signed envelope: %w", err)
	}
	return octetString(held)
}

// within goes into elements within each other.
func within(b ber, tags ...byte) (ber, error) {
	for _, tag := range tags {
		var err error
		if b, err = b.wanted(tag); err != nil {
			return b, err
		}
	}
	return b, nil
}

// octetString reads an octet string, which may be in pieces that are in pieces.
func octetString(b ber) ([]byte, error) {
	e, err := b.next()
	switch {
	case err != nil:
		return nil, err
	case e.tag == octets:
		return e.content, nil
	case e.tag != octetsPieces:
		return nil, errCut
	}
	var all []byte
	for pieces := (ber{e.content}); len(pieces.data) > 0; {
		piece, rest, err := cut(pieces.data, 0)
		if err != nil || piece.tag != octets {
			return nil, errCut
		}
		all, pieces.data = append(all, piece.content...), rest
	}
	return all, nil
}
