package xpath

import (
	"math"
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// keySort is what the keys of an index are. Values of one sort are equal exactly where their keys are the same text.
type keySort uint8

const (
	noKeys keySort = iota
	textKeys
	decimalKeys
	doubleKeys
)

// notEqual stands for a value that equals none, NaN.
const notEqual = "NaN"

// keysOf gives the sort of the values of an expression; noKeys where they are of several.
func keysOf(e expr) keySort {
	switch kinds := e.info().typ.kinds; {
	case kinds.within(textKinds):
		return textKeys
	case kinds.within(decimalKinds):
		return decimalKeys
	case kinds.within(bit(xdm.Double)):
		return doubleKeys
	}
	return noKeys
}

// values are the kinds of values that keys are looked up by.
func (s keySort) values() kinds {
	switch s {
	case textKeys:
		return textKinds
	case decimalKeys:
		return decimalKinds
	}
	return decimalKinds | bit(xdm.Double)
}

// has tells whether keys can be looked up by values of a type: that comparing with keys is comparing values of this sort.
func (s keySort) has(t xdm.Type) bool {
	switch s {
	case textKeys:
		return t.IsText()
	case decimalKeys:
		return t.IsDecimal()
	}
	return t.IsDecimal() || t == xdm.Double
}

// key gives the key of a value.
func (s keySort) key(i xdm.Item) string {
	switch s {
	case textKeys:
		return i.Text()
	case decimalKeys:
		return i.String()
	}
	number := i.AsFloat()
	if math.IsNaN(number) {
		return notEqual
	}
	return strconv.FormatFloat(number+0, 'g', -1, 64) // -0 is 0
}
