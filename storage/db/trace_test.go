package db

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// ackPrefix begins what the child says when a write has returned.
const ackPrefix = "acknowledged "

// event is a system call of the child, between two lines of the trace.
type event struct {
	call       string // write, sync, truncate, make, remove or ack
	name       string // the file, below the folder; of ack the id
	offset     int64
	data       []byte
	begin, end int
	durable    int // the line at which a sync that covers it has ended
}

// trace is the system calls that change files or sync them, in the order in which they ended.
type trace struct {
	events []event
	end    int // the number of lines
}

var callForm = regexp.MustCompile(`^(\d+) +(?:<\.\.\. )?(\w+)(?:\(| resumed>)(.*)$`)

// readTrace reads strace's file; files outside of dir do not count.
func readTrace(t *testing.T, file, dir string) trace {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	var tr trace
	begun := map[string]event{} // by thread
	started := map[string]string{}
	for ; lines.Scan(); tr.end++ {
		m := callForm.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		thread, rest := m[1], m[3]
		if head, unfinished := strings.CutSuffix(rest, " <unfinished ...>"); unfinished {
			started[thread], begun[thread] = m[2]+"("+head, event{begin: tr.end}
			continue
		}
		e := event{begin: tr.end}
		text := m[2] + "(" + rest
		if head, resumed := started[thread]; resumed {
			e, text = begun[thread], head+rest
			delete(started, thread)
		}
		if e.end = tr.end; e.parse(t, text, dir) {
			tr.events = append(tr.events, e)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for i := range tr.events {
		tr.events[i].durable = tr.covered(i)
	}
	return tr
}

var (
	quoted  = regexp.MustCompile(`"((?:\\x[0-9a-f]{2})*)"`)
	fileOf  = regexp.MustCompile(`^\w+\((\d+)<([^>]*)>`)
	numbers = regexp.MustCompile(`, (\d+)\) += `)
	result  = regexp.MustCompile(`\) += (-?\d+)`)
)

// parse takes a call apart; one that failed or touches nothing of ours is none.
func (e *event) parse(t *testing.T, text, dir string) bool {
	t.Helper()
	if m := result.FindStringSubmatch(text); m == nil || strings.HasPrefix(m[1], "-") {
		return false
	}
	call, _, _ := strings.Cut(text, "(")
	path := ""
	if m := fileOf.FindStringSubmatch(text); m != nil {
		path = unhex(t, m[2])
	}
	var argument string
	if m := quoted.FindStringSubmatch(text); m != nil {
		argument = unhex(t, m[1])
	}
	switch call {
	case "openat":
		if !strings.Contains(text, "O_CREAT") {
			return false
		}
		e.call, path = "make", argument
	case "mkdirat":
		e.call, path = "make", argument
	case "unlink", "unlinkat":
		e.call, path = "remove", argument
	case "fsync", "fdatasync":
		e.call = "sync"
	case "ftruncate", "pwrite64":
		e.call = map[string]string{"ftruncate": "truncate", "pwrite64": "write"}[call]
		m := numbers.FindStringSubmatch(text)
		e.offset, e.data = number(t, m[1]), []byte(argument)
	case "write":
		id, acked := strings.CutPrefix(strings.TrimSpace(argument), ackPrefix)
		e.call, e.name = "ack", id
		return acked
	}
	name, err := filepath.Rel(dir, path)
	e.name = name
	return err == nil && !strings.HasPrefix(name, "..") && !strings.HasSuffix(name, "-shm")
}

func number(t *testing.T, s string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// unhex decodes strace's \x41.
func unhex(t *testing.T, s string) string {
	t.Helper()
	s, err := strconv.Unquote(`"` + s + `"`)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// survival is how much of what was not synced is on the disk.
type survival int

const (
	none survival = iota
	all
	sectors // each 512 bytes of a write, each truncation, and each change of a folder, or not
)

// disk is what there is after a power cut.
type disk struct {
	moment       string
	files        map[string][]byte
	acknowledged []string
}

// cut gives what the disk holds if the power goes behind a line of the trace.
func (tr trace) cut(line int, s survival, random *rand.Rand) disk {
	d := disk{moment: fmt.Sprintf("line %d of %d, survival %d", line, tr.end, s), files: map[string][]byte{}}
	entries := map[string]bool{".": true} // what is in a folder
	for _, e := range tr.events {
		if e.begin > line {
			continue
		}
		kept := s == all || e.durable <= line
		if s == sectors && !kept {
			kept = random.IntN(2) == 0
		}
		switch e.call {
		case "ack":
			d.acknowledged = append(d.acknowledged, e.name)
		case "make":
			entries[e.name] = entries[e.name] || kept
		case "remove":
			if kept {
				delete(entries, e.name)
				delete(d.files, e.name)
			}
		case "truncate":
			if old := d.files[e.name]; kept && int64(len(old)) > e.offset {
				d.files[e.name] = old[:e.offset]
			}
		case "write":
			d.files[e.name] = e.apply(d.files[e.name], line, s, random)
		}
	}
	for name := range d.files {
		if !entries[name] || !entries[filepath.Dir(name)] {
			delete(d.files, name)
		}
	}
	return d
}

// covered gives the line at which the first sync after the event has ended that covers it: that of the file, or for the making and
// removal of files and folders that of the folder which they are in.
func (tr trace) covered(i int) int {
	e := tr.events[i]
	name := e.name
	if e.call == "make" || e.call == "remove" {
		name = filepath.Dir(name)
	}
	for _, s := range tr.events[i:] {
		if s.call == "sync" && s.name == name && s.begin > e.end {
			return s.end
		}
	}
	return tr.end
}

// apply writes what survives of a write.
func (e event) apply(file []byte, line int, s survival, random *rand.Rand) []byte {
	const sector = 512
	whole := s == all || e.durable <= line
	if !whole && s == none {
		return file
	}
	for at := 0; at < len(e.data); at += sector {
		part := e.data[at:min(at+sector, len(e.data))]
		if !whole && random.IntN(2) == 0 {
			continue
		}
		start := int(e.offset) + at
		if missing := start + len(part) - len(file); missing > 0 {
			file = append(file, make([]byte, missing)...)
		}
		copy(file[start:], part)
	}
	return file
}
