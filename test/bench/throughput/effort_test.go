package main

import (
	"strings"
	"testing"
	"time"
)

func TestEffortTable_TellsWhoUsedHowMuch(t *testing.T) {
	ms := time.Millisecond
	before, after := effort{"api": ms, "postgres": 2 * ms}, effort{"api": 11 * ms, "worker": 30 * ms, "postgres": 22 * ms}
	got := effortTable([]speed{{Setup: "shared", What: "bare asynq"}, {Setup: "shared", What: "einvoiced", CPU: after.since(before, 10)}})
	lines := strings.Split(got, "\n")
	if len(lines) != 3 || strings.Join(strings.Fields(lines[1]), " ") != "shared einvoiced 6.00 - 1.00 3.00 - 2.00 - - -" {
		t.Errorf("%s", got)
	}
	if sum := after.program(); sum != 41*ms {
		t.Errorf("the program's part is %s", sum)
	}
}

func TestStatementTable_LeavesOutWhatIsRare(t *testing.T) {
	got := statementTable("jobs", []statement{{"INSERT  INTO jobs", 100, 5000}, {"VACUUM", 1, 1000}}, 100)
	lines := strings.Split(got, "\n")
	if len(lines) != 5 || strings.Join(strings.Fields(lines[1]), " ") != "1.01 60 all" || strings.Join(strings.Fields(lines[2]), " ") != "1.00 50 INSERT INTO jobs" {
		t.Errorf("%s", got)
	}
	if got := statementTable("jobs", []statement{{"VACUUM", 1, 1000}}, 1000); strings.Contains(got, "VACUUM") {
		t.Errorf("%s", got)
	}
}
