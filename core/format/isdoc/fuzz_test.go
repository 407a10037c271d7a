package isdoc

import (
	"testing"

	"github.com/einvoiced/einvoiced/internal/tabletest"
)

// FuzzRead ensures that any document is read to its last leaf, and that what was read can be written.
func FuzzRead(f *testing.F) { tabletest.FuzzRead(f, "../../../testdata/isdoc/*.xml", Syntax().Codec) }
