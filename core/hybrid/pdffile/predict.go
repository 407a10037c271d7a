package pdffile

import "fmt"

// Limits of the parameters of predictors.
const (
	maxColumns = 1 << 20
	maxColors  = 32
)

// shape is how samples stand in rows.
type shape struct{ row, pixel int } // bytes; pixel is at least one

// unpredict takes the predictor off decoded data (ISO 32000-1 §7.4.4.4).
func (f *File) unpredict(data []byte, parameters Dict) ([]byte, error) {
	predictor := f.Integer(parameters["Predictor"])
	if predictor <= 1 {
		return data, nil
	}
	value := func(key Name, otherwise int) int {
		if n := f.Integer(parameters[key]); n > 0 {
			return n
		}
		return otherwise
	}
	columns, colors, bits := value("Columns", 1), value("Colors", 1), value("BitsPerComponent", 8)
	if columns > maxColumns || colors > maxColors || bits > 16 {
		return data, fmt.Errorf("%w: the rows of its predictor are too long", ErrFilter)
	}
	s := shape{row: (columns*colors*bits + 7) / 8, pixel: max(1, colors*bits/8)}
	const tiff = 2
	if predictor != tiff {
		return s.png(data)
	}
	if bits != 8 {
		return data, fmt.Errorf("%w: the TIFF predictor of %d bits is not supported", ErrFilter, bits)
	}
	for rest := data; len(rest) >= s.row; rest = rest[s.row:] {
		addLeft(rest[:s.row], s.pixel)
	}
	return data, nil
}

func addLeft(row []byte, pixel int) {
	for i := pixel; i < len(row); i++ {
		row[i] += row[i-pixel]
	}
}

// png takes off the predictors of PNG, one before each row.
func (s shape) png(data []byte) ([]byte, error) {
	out := make([]byte, 0, len(data))
	above := make([]byte, min(s.row, len(data))) // a row may be said to be much longer than all that there is
	for len(data) > 1 {
		kind, row := data[0], data[1:min(len(data), 1+s.row)]
		data = data[1+len(row):]
		if !s.unfilter(kind, row, above) {
			return out, fmt.Errorf("%w: the PNG predictor %d is not known", ErrFilter, kind)
		}
		out = append(out, row...)
		above = row
		if len(row) < s.row {
			break
		}
	}
	return out, nil
}

// unfilter decodes one row in place (PNG specification §9).
func (s shape) unfilter(kind byte, row, above []byte) bool {
	switch kind {
	case 0:
	case 1:
		addLeft(row, s.pixel)
	case 2:
		for i := range row {
			row[i] += above[i]
		}
	case 3:
		for i := range row {
			row[i] += byte((s.left(row, i) + int(above[i])) / 2)
		}
	case 4:
		for i := range row {
			row[i] += paeth(s.left(row, i), int(above[i]), s.left(above, i))
		}
	default:
		return false
	}
	return true
}

func (s shape) left(row []byte, i int) int {
	if i < s.pixel {
		return 0
	}
	return int(row[i-s.pixel])
}

// paeth gives that of three neighbours which is nearest to left + above - corner.
func paeth(left, above, corner int) byte {
	p := left + above - corner
	a, b, c := distance(p, left), distance(p, above), distance(p, corner)
	switch {
	case a <= b && a <= c:
		return byte(left)
	case b <= c:
		return byte(above)
	}
	return byte(corner)
}

func distance(a, b int) int { return max(a-b, b-a) }
