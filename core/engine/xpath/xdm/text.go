package xdm

import (
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
)

// String gives an atomic item as cast to xs:string (F&O 17.1.1 and 17.1.2); a node gives its number only, as its text is not
// here.
func (i Item) String() string {
	switch p := i.typ.Primitive(); p {
	case UntypedAtomic, String, AnyURI:
		return i.Text()
	case Boolean:
		return strconv.FormatBool(i.Bool())
	case Decimal, Integer:
		return i.decimalText()
	case Double:
		return formatFloat(i.Float(), 64)
	case Float:
		return formatFloat(i.Float(), 32)
	case Duration, DayTimeDuration, YearMonthDuration:
		return i.Span().text(p)
	case HexBinary:
		return strings.ToUpper(hex.EncodeToString([]byte(i.Text())))
	case Base64Binary:
		return base64.StdEncoding.EncodeToString([]byte(i.Text()))
	case QName, NOTATION:
		return i.Name().String()
	case Node:
		return "node " + strconv.FormatInt(i.num, 10)
	case None:
		return ""
	default:
		return i.Moment().text(p)
	}
}

func (i Item) decimalText() string {
	if i.small() && i.scale == 0 {
		return strconv.FormatInt(i.num, 10)
	}
	return i.Decimal().Trim().String()
}
