package decimal

// String gives d with as many digits after the point as its scale says, never with an exponent; "" for "no number".
func (d Decimal) String() string {
	var buf [64]byte
	return string(d.AppendText(buf[:0]))
}

// AppendText appends what String gives to dst.
func (d Decimal) AppendText(dst []byte) []byte {
	if !d.IsSet() {
		return dst
	}
	if d.neg() {
		dst = append(dst, '-')
	}
	start := len(dst)
	if d.large != nil {
		dst = d.large.Append(dst, 10)
	} else {
		dst = d.coef.appendDigits(dst)
	}
	if d.Scale() == 0 {
		return dst
	}
	return insertPoint(dst, start, d.Scale())
}

// insertPoint sets a point before the last scale digits of dst[start:], with zeros in front where digits are wanting.
func insertPoint(dst []byte, start, scale int) []byte {
	zeros := max(0, scale+1-(len(dst)-start))
	for range zeros + 1 {
		dst = append(dst, '0')
	}
	digits := dst[start : len(dst)-zeros-1]
	copy(dst[start+zeros:], digits)
	for i := range zeros {
		dst[start+i] = '0'
	}
	point := len(dst) - 1 - scale
	copy(dst[point+1:], dst[point:len(dst)-1])
	dst[point] = '.'
	return dst
}
