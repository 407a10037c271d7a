package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"
)

// speedTable compares each line with the bare one of its set-up.
func speedTable(speeds []speed) string {
	reference := map[string]float64{}
	for _, s := range speeds {
		if s.What == "bare asynq" {
			reference[s.Setup] = s.perSecond()
		}
	}
	return table("set-up\twhat\tjobs\tseconds\tjobs/s\tof bare asynq\tCPU a job", func(line func(format string, args ...any)) {
		for _, s := range speeds {
			line("%s\t%s\t%d\t%.2f\t%.0f\t%.0f %%\t%s", s.Setup, s.What, s.Jobs, s.Took.Seconds(), s.perSecond(), 100*s.perSecond()/reference[s.Setup], short(s.CPU.program()))
		}
	})
}

// waitTable compares the 99th percentile of each line with that of the line before of its set-up.
func waitTable(waits []wait) string {
	return table("set-up\tinline requests\tnumber\tp50\tp99\tmax\tp99 to alone\tlong jobs", func(line func(format string, args ...any)) {
		alone := map[string]time.Duration{}
		for _, w := range waits {
			if alone[w.Setup] == 0 {
				alone[w.Setup] = w.P99
			}
			line("%s\t%s\t%d\t%s\t%s\t%s\t%.2f\t%d", w.Setup, w.What, w.Requests, short(w.P50), short(w.P99), short(w.Max), float64(w.P99)/float64(alone[w.Setup]), w.Long)
		}
	})
}

func short(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

func table(head string, lines func(func(format string, args ...any))) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, head)
	lines(func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) })
	_ = w.Flush() // a Builder takes everything
	return b.String()
}
