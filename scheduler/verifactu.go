package scheduler

import (
	"context"
	"time"
)

// VeriFactu gives the chore of VeriFactu records that are sent: every 5 s order makes the jobs of chains that are due.
func VeriFactu(order func(context.Context) error) []Chore {
	return []Chore{{"send VeriFactu records", 5 * time.Second, order}}
}
