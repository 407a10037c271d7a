package schematron

import "fmt"

// SourceError says why a rule set was refused and where. Message names what was expected. Line is 0 where the fault is
// the file as a whole.
type SourceError struct {
	Place
	Message string
	Cause   error // what lies below, of the file system or the XML reader; nil for faults of the rule set itself
}

// Error gives the place and the message.
func (e *SourceError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	return fmt.Sprintf("%s: %s", e.Place, e.Message)
}

// Unwrap gives the cause.
func (e *SourceError) Unwrap() error { return e.Cause }

// fault is a SourceError at a place.
func (p Place) fault(format string, args ...any) error {
	return &SourceError{Place: p, Message: fmt.Sprintf(format, args...)}
}
