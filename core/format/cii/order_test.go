package cii

import (
	"testing"

	"github.com/einvoiced/einvoiced/internal/tabletest"
)

// TestTheOrderListsEveryChildOfEveryParent ensures that the schema has each element of each path where the path has it.
func TestTheOrderListsEveryChildOfEveryParent(t *testing.T) { tabletest.Order(t, &Table) }
