package finding

import "github.com/agnivade/levenshtein"

// The bounds of a resemblance: how many characters may differ (supplement §1, rule 2), and how long a name may be to be compared.
const (
	mostEdits   = 2
	longestName = 64
)

// Resembling gives the known name that is the fewest edits away from one that is not known, at most two; of equals the first. It is
// empty where none is that near, and where nothing of the name would be left.
func Resembling(name string, known []string) string {
	best, least := "", mostEdits+1
	for _, k := range known {
		longer := max(len(name), len(k))
		if longer > longestName || longer-min(len(name), len(k)) > mostEdits {
			continue
		}
		if n := levenshtein.ComputeDistance(name, k); n < least && n < longer {
			best, least = k, n
		}
	}
	return best
}

// UnknownNote says of an unknown name at a place that it is ignored, and which known one it resembles.
func UnknownNote(place, known string) string {
	return place + " is not known and is ignored; did you mean " + known + "?"
}
