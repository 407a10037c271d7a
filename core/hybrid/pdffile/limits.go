package pdffile

import "cmp"

// The limits of a file. Numbers of objects and generations are those of ISO 32000-1 annex C.2.
const (
	maxNumber     = 8_388_607
	maxGeneration = 65_535
	maxValues     = 8_000_000 // objects that are read, those within others too
	maxObject     = 1_000_000 // of them, within one object
	dictValues    = 4         // as which a dictionary counts beyond itself: it takes more memory than anything else of its length
	secretValues  = 16        // as which a string counts that is decrypted, each by a key of its own
	maxEntries    = 2_000_000 // objects that cross-reference data and streams of objects each tell of, in the largest files
	allEntries    = 100_000   // in the smallest ones
	perEntry      = 4         // bytes of the file for each beyond that
	maxInflated   = 256 << 20 // bytes of all streams together, in the largest files
	allInflated   = 64 << 20  // in the smallest ones
	perByte       = 32        // for each byte of the file beyond that
	maxSearched   = 256 << 20 // bytes that are looked through for the ends of streams
	maxDirectory  = 32 << 20  // bytes of one stream of objects or of cross-reference data
	maxChain      = 32        // references that lead to references, and objects that are needed to read others
	headerWithin  = 1024      // bytes in which the header stands (annex H.3.4.1)
)

// mostEntries is of how many objects the file may tell.
func (f *File) mostEntries() int { return min(maxEntries, allEntries+len(f.data)/perEntry) }

// spend counts objects that are read.
func (f *File) spend(values int) error {
	const often = 1 << 12
	before := f.values
	if f.values += values; f.values > maxValues {
		f.err = cmp.Or(f.err, ErrLimit)
	}
	if before/often != f.values/often && f.ctx.Err() != nil {
		f.err = cmp.Or(f.err, f.ctx.Err())
	}
	return f.err
}

// parse reads an object and counts its bytes as work, for strings and comments that reach far.
func (f *File) parse(s *scanner) (Object, error) {
	begin, left := s.pos, maxObject
	s.spend = func(values int) error {
		if left -= values; left < 0 {
			f.err = cmp.Or(f.err, ErrLimit)
		}
		return f.spend(values)
	}
	o, err := s.object(0)
	if limit := f.passed(s.pos - begin); limit != nil {
		return nil, limit
	}
	return o, err
}

// passed counts bytes that were read, if only as white space, as work.
func (f *File) passed(bytes int) error {
	const perValue = 16 // bytes that cost as much as an object
	return f.spend(bytes / perValue)
}
