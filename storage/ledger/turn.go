package ledger

import (
	"database/sql"
	"sync"

	"github.com/einvoiced/einvoiced/storage/db"
)

// The accounts take turns. A queued job's turn is its round, doubled, plus one for a job that has stood behind another of its
// account: each account has one job in a round, the rounds are served one after the other, and in a round those go first who
// had nothing waiting. So between two claims of an account that always has something waiting, every other account is served
// at most twice: once in what is left of the round and once in the next. A job that comes back, released or to be tried again,
// has had its turn and goes first.
//
// What an account may do twice is to get into the round that is being served, whenever it has nothing else waiting: therefore
// the ledger remembers in which round it was last. Several processes that accept jobs of one account do not know that of each
// other, nor do acceptances that overlap on PostgreSQL see each other: the bound grows by their number.

const first = -1 // the turn of a job that comes back

// stand is where an account stands in a queue when a job of it comes.
type stand struct {
	Own    sql.NullInt64 `db:"own"`    // the highest turn of its waiting jobs
	Lowest sql.NullInt64 `db:"lowest"` // the lowest turn of all waiting jobs
}

// Each part is asked with the condition of the index that is for it, and of no other: PostgreSQL takes any that fits while it does
// not know how large the table is. Nor does it see then that max and min are an end of the index, and reads all of it.
const (
	selectOwn    = "SELECT turn FROM jobs WHERE account_id = ? AND queue = ? AND state = 'queued' AND turn >= 0 ORDER BY turn DESC LIMIT 1"
	selectLowest = "SELECT turn FROM jobs WHERE queue = ? AND state = 'queued' AND crashes = 0 AND turn >= 0 ORDER BY turn LIMIT 1"
	selectStand  = "SELECT (" + selectOwn + ") AS own, (" + selectLowest + ") AS lowest"
)

// turn is the job's; last is the account's turn before, known if it has one.
func (s stand) turn(last int64, known bool) int64 {
	switch {
	case s.Own.Valid:
		return behind(s.Own.Int64)
	case !s.Lowest.Valid:
		return 0
	case known && last>>1 >= s.Lowest.Int64>>1:
		return behind(s.Lowest.Int64)
	}
	return s.Lowest.Int64 &^ 1
}

// behind is the turn of a job that waits for the round after the one of turn.
func behind(turn int64) int64 { return turn | 1 + 2 }

// turns remembers the last turn of each account in each queue.
type turns struct {
	mu   sync.Mutex
	last map[[2]string]int64
}

// mostTurns bounds what is remembered. Beyond it everything is forgotten, which may give every account one turn too early.
const mostTurns = 1 << 16

func (t *turns) get(accountID, queue string) (last int64, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	last, known = t.last[[2]string{accountID, queue}]
	return last, known
}

func (t *turns) set(accountID, queue string, turn int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil || len(t.last) >= mostTurns {
		t.last = map[[2]string]int64{}
	}
	t.last[[2]string{accountID, queue}] = turn
}

// nextTurn gives the turn of a job that is being accepted. It is remembered also where the transaction fails: then the account
// waits for one round too long.
func (l *Ledger) nextTurn(tx *db.Tx, accountID, queue string) (int64, error) {
	var s stand
	if err := tx.Get(&s, selectStand, accountID, queue, queue); err != nil {
		return 0, err
	}
	turn := s.turn(l.turns.get(accountID, queue))
	l.turns.set(accountID, queue, turn)
	return turn, nil
}
