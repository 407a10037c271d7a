package main

import (
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// effort is the time of processors by who used it: the commands of the program, the services, and this program, which is clients and
// receiver.
type effort map[string]time.Duration

// workers are the names of an effort in the order of the table.
var workers = []string{"serve", "api", "worker", "scheduler", "postgres", "redis", "versitygw", "clients"}

// spent is what was used until now.
func spent(h *harness.System) effort {
	e := effort{"clients": own()}
	for _, r := range h.Roles {
		e[r.Command] += r.CPU()
	}
	if h.Shared {
		for _, p := range []*harness.Process{h.Postgres.Process, h.Redis.Process, h.S3.Process} {
			e[p.Name] += p.CPU()
		}
	}
	return e
}

// own is the time of this process.
func own() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// since gives what one of n jobs has used since before.
func (e effort) since(before effort, n int) effort {
	each := effort{}
	for who, used := range e {
		each[who] = (used - before[who]) / time.Duration(n)
	}
	return each
}

// program is the part of the program's own processes.
func (e effort) program() (sum time.Duration) {
	for _, command := range []string{"serve", "api", "worker", "scheduler"} {
		sum += e[command]
	}
	return sum
}

// effortTable tells who used how much for a job.
func effortTable(speeds []speed) string {
	return table("set-up\twhat\tms a job\t"+strings.Join(workers, "\t"), func(line func(format string, args ...any)) {
		for _, s := range speeds {
			if s.CPU == nil {
				continue
			}
			var parts []string
			sum := time.Duration(0)
			for _, who := range workers {
				sum += s.CPU[who]
				parts = append(parts, millis(s.CPU[who]))
			}
			line("%s\t%s\t%s\t%s", s.Setup, s.What, millis(sum), strings.Join(parts, "\t"))
		}
	})
}

// millis writes a time in milliseconds.
func millis(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(d)/float64(time.Millisecond))
}
