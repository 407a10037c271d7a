package xdm

import "fmt"

// Error is an error of the XPath 2.0 language or its functions. Code is the local part of its name in the namespace
// http://www.w3.org/2005/xqt-errors, such as FORG0001.
type Error struct {
	Code   string
	Reason string // for people; may quote values
}

// Error gives code and reason.
func (e *Error) Error() string { return e.Code + ": " + e.Reason }

// Errorf gives an *Error with a formatted reason.
func Errorf(code, format string, args ...any) error {
	return &Error{code, fmt.Sprintf(format, args...)}
}
