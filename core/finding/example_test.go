package finding_test

import (
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/core/finding"
)

func ExampleFind() {
	entry, ok := finding.Find(finding.MissingField)
	fmt.Println(entry.Code, entry.Severity == finding.Fatal, ok)
	// Output: MISSING_FIELD true true
}

// The public half of a refusal is for the caller, its cause for the log.
func ExampleRefusal() {
	var err error = &finding.Refusal{Word: "PARSE_FAILED", Message: "The document ends within an element.", Cause: errors.New("unexpected EOF at byte 17")}
	var refusal *finding.Refusal
	if errors.As(err, &refusal) {
		fmt.Println(refusal.Word, refusal.Message)
		fmt.Println("log:", refusal.Cause)
	}
	// Output:
	// PARSE_FAILED The document ends within an element.
	// log: unexpected EOF at byte 17
}
