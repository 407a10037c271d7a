package invoice

// Limits bound what is read from a caller, before it costs memory. Zero or less means the default.
type Limits struct {
	MaxItems           int // entries of items, and of each other list. Default: 25,000.
	MaxLines           int // entries of items and subItems in all. Default: 25,000.
	MaxSubItemDepth    int // levels of subItems below an item. Default: 100.
	MaxDepth           int // levels of JSON objects and arrays. Default: 1,000.
	MaxEntries         int // entries of all lists that are not lines. Default: 500,000.
	MaxStringBytes     int // UTF-8 bytes of a string that is not base64. Default: 1 MiB.
	MaxAttachmentBytes int // decoded bytes of all attachments. Default: 95 MiB.
	MaxFindings        int // input errors listed. Default: 1,000.
}

// defaultMaxFindings is how many input errors are listed.
const defaultMaxFindings = 1_000

// withDefaults fills in the defaults.
func (l Limits) withDefaults() Limits {
	defaults := []struct {
		limit    *int
		standard int
	}{
		{&l.MaxItems, 25_000}, {&l.MaxLines, 25_000}, {&l.MaxSubItemDepth, 100}, {&l.MaxDepth, 1_000}, {&l.MaxEntries, 500_000},
		{&l.MaxStringBytes, 1 << 20}, {&l.MaxAttachmentBytes, 95 << 20}, {&l.MaxFindings, defaultMaxFindings},
	}
	for _, d := range defaults {
		if *d.limit <= 0 {
			*d.limit = d.standard
		}
	}
	return l
}
