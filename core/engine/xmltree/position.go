package xmltree

import (
	"bytes"
	"sort"
	"sync"
	"unicode/utf8"
)

// lineTable holds the offsets where lines begin, made when first asked for.
type lineTable struct {
	once   sync.Once
	starts []uint32
}

const byteOrderMark = "\uFEFF"

// Position is the line and column, both from 1, where n begins in the document as it was given; columns count characters. LF, CR
// and CR LF end a line. The first call goes through the source once; further calls search.
func (d *Document) Position(n Node) (line, column int) { return d.PositionAt(d.Offset(n)) }

// PositionAt is the line and column of an offset in Source.
func (d *Document) PositionAt(offset int) (line, column int) {
	line = d.lineAt(offset)
	return line, columnOf(d.src, int(d.lines.starts[line-1]), offset)
}

// Line is the line of Position; unlike the column it costs the same in a document of one long line.
func (d *Document) Line(n Node) int { return d.lineAt(d.Offset(n)) }

func (d *Document) lineAt(offset int) int {
	d.lines.once.Do(func() { d.lines.starts = lineStarts(d.src, len(d.src)) })
	starts := d.lines.starts
	return sort.Search(len(starts), func(i int) bool { return int(starts[i]) > offset })
}

// locate is PositionAt without a table.
func locate(src []byte, offset int) (line, column int) {
	line, start := 1, 0
	eachLine(src, offset, func(at int) { line, start = line+1, at })
	return line, columnOf(src, start, offset)
}

func columnOf(src []byte, start, offset int) int {
	if start == 0 && bytes.HasPrefix(src, []byte(byteOrderMark)) {
		start = min(len(byteOrderMark), offset)
	}
	return 1 + utf8.RuneCount(src[start:offset])
}

func lineStarts(src []byte, end int) []uint32 {
	starts := []uint32{0}
	eachLine(src, end, func(at int) { starts = append(starts, uint32(at)) })
	return starts
}

// eachLine calls yield with the offset of each line after the first that begins at or before end.
func eachLine(src []byte, end int, yield func(at int)) {
	if bytes.IndexByte(src[:end], '\r') >= 0 {
		eachMixedLine(src, end, yield)
		return
	}
	for i := 0; ; {
		n := bytes.IndexByte(src[i:end], '\n')
		if n < 0 {
			return
		}
		i += n + 1
		yield(i)
	}
}

func eachMixedLine(src []byte, end int, yield func(at int)) {
	for i := 1; i <= end; i++ {
		if src[i-1] == '\n' || src[i-1] == '\r' && (i == len(src) || src[i] != '\n') {
			yield(i)
		}
	}
}
