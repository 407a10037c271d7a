package rulebook

import "fmt"

// Limits bound what loading or importing rulebooks may cost. Zero means default.
type Limits struct {
	Books     int   // rulebooks of one folder. Default: 1,000
	Files     int   // files of one rulebook. Default: 2,000
	FileBytes int64 // bytes of one file. Default: 67,108,864 (64 MiB)
	Bytes     int64 // bytes of one rulebook, and of what is read of a source to import. Default: 268,435,456 (256 MiB)
	Entries   int   // files and folders of a source to import. Default: 20,000
	Ratio     int64 // how many times its packed size a file of an archive may have, above 1 MiB. Default: 200
}

// withDefaults fills in the defaults; the error names a negative limit.
func (l Limits) withDefaults() (Limits, error) {
	for _, row := range []struct {
		name  string
		value *int
		def   int
	}{{"Books", &l.Books, 1000}, {"Files", &l.Files, 2000}, {"Entries", &l.Entries, 20_000}} {
		if *row.value < 0 {
			return l, fmt.Errorf("limit %s is %d: expected a positive number, or 0 for %d", row.name, *row.value, row.def)
		}
		if *row.value == 0 {
			*row.value = row.def
		}
	}
	for _, row := range []struct {
		name  string
		value *int64
		def   int64
	}{{"FileBytes", &l.FileBytes, 64 << 20}, {"Bytes", &l.Bytes, 256 << 20}, {"Ratio", &l.Ratio, 200}} {
		if *row.value < 0 {
			return l, fmt.Errorf("limit %s is %d: expected a positive number, or 0 for %d", row.name, *row.value, row.def)
		}
		if *row.value == 0 {
			*row.value = row.def
		}
	}
	return l, nil
}
