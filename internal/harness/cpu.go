package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit in which Linux tells times of processors (USER_HZ).
const clockTick = 10 * time.Millisecond

// CPU is the time of processors that the present life of the process has used, with its children.
func (p *Process) CPU() time.Duration {
	cmd, _ := p.life()
	if cmd == nil {
		return 0
	}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is a good one
	sum := time.Duration(0)
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile, and its parent has its time
		}
		if parent, used := usedBy(string(text)); parent == cmd.Process.Pid || filepath.Dir(path) == fmt.Sprint("/proc/", cmd.Process.Pid) {
			sum += used
		}
	}
	return sum
}

// usedBy reads the parent of a process and the time that it and its children that have ended have used (proc_pid_stat(5)).
func usedBy(stat string) (parent int, used time.Duration) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:]) // from the third on: the second may have anything in it
	if len(fields) < 15 {
		return 0, 0
	}
	parent, _ = strconv.Atoi(fields[1])
	for _, field := range fields[11:15] {
		ticks, _ := strconv.ParseInt(field, 10, 64)
		used += time.Duration(ticks) * clockTick
	}
	return parent, used
}
