package block

import (
	"math"
	"testing"
)

// TestWidths_AreSqueezedWhereMoreIsWanted ensures that columns of a table that want more than there is leave what narrow ones need, and something for those
// that get the rest; and that fixed ones stay as they are.
func TestWidths_AreSqueezedWhereMoreIsWanted(t *testing.T) {
	auto, share, points, percent := width{kind: 'a'}, width{'*', 1}, width{'p', 100}, width{'%', 25}
	for name, c := range map[string]struct {
		columns []width
		wanted  []float64
		want    []float64
	}{
		"room for all":             {[]width{auto, share, auto}, []float64{50, 0, 60}, []float64{50, 290, 60}},
		"two shares":               {[]width{auto, share, share}, []float64{100, 0, 0}, []float64{100, 150, 150}},
		"one is very wide":         {[]width{auto, share, auto, auto}, []float64{390, 0, 40, 60}, []float64{150, 150, 40, 60}},
		"all are wide":             {[]width{auto, share, auto, auto}, []float64{390, 0, 390, 390}, []float64{100, 100, 100, 100}},
		"wide beside fixed":        {[]width{points, auto, share, percent}, []float64{0, 390, 0, 0}, []float64{100, 100, 100, 100}},
		"without a share":          {[]width{auto, auto}, []float64{390, 60}, []float64{340, 60}},
		"more is fixed than there": {[]width{{'p', 300}, {'p', 500}}, []float64{0, 0}, []float64{150, 250}},
	} {
		got := widths(c.columns, 400, 0, func(i int) float64 { return c.wanted[i] })
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 0.01 {
				t.Errorf("%s: %v, want %v", name, got, c.want)
				break
			}
		}
	}
}
