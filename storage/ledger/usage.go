package ledger

import (
	"cmp"
	"slices"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// reserve reserves the charges for a job until commit or release. The error is a *QuotaError or ErrPlanUnknown.
func (l *Ledger) reserve(tx *db.Tx, jobID, accountID string, mode account.Mode, charges []Charge) error {
	charges, err := billable(mode, charges)
	if err != nil || len(charges) == 0 {
		return err
	}
	limits, err := l.limitsIn(tx, accountID, charges)
	if err != nil {
		return err
	}
	return insertReservations(tx, reservation{Owner: jobID, Account: accountID, Period: l.month()}, charges, limits)
}

// commit counts what the job has reserved, in the month of the reservation.
func (l *Ledger) commit(tx *db.Tx, jobID string) error {
	_, err := settleReservations(tx, jobID, true)
	return err
}

// release gives back what the job has reserved.
func (l *Ledger) release(tx *db.Tx, jobID string) error {
	_, err := settleReservations(tx, jobID, false)
	return err
}

// stage notes the charges of a job in an open batch; reserveBatch reserves them all or refuses, releaseBatch forgets them.
// The limits are empty here: a quota is asked for once, for all jobs of the batch.
func (l *Ledger) stage(tx *db.Tx, batchID, jobID, accountID string, mode account.Mode, charges []Charge) error {
	charges, err := billable(mode, charges)
	if err != nil {
		return err
	}
	r := reservation{Owner: jobID, Account: accountID, Period: l.month(), Batch: batchID}
	return insertReservations(tx, r, charges, make([]limit, len(charges)))
}

// reserveBatch reserves the staged charges of a batch, which is committed, in one go. The error is a *QuotaError or
// ErrPlanUnknown.
func (l *Ledger) reserveBatch(tx *db.Tx, batchID, accountID string, mode account.Mode) error {
	var charges []Charge
	err := tx.Select(&charges, "SELECT entitlement, CAST(sum(units) AS BIGINT) AS units FROM reservations"+ofBatch+" GROUP BY entitlement ORDER BY entitlement", batchID)
	if err != nil || len(charges) == 0 {
		return err
	}
	limits, err := l.limitsIn(tx, accountID, charges)
	if err != nil {
		return err
	}
	period := l.month()
	for i, c := range charges {
		if err := take(tx, accountID, period, c, limits[i]); err != nil {
			return err
		}
		_, err := tx.Exec("UPDATE reservations SET counted = ?, period = ?"+ofBatch+" AND entitlement = ? AND (counted <> ? OR period <> ?)",
			limits[i].limited, period, batchID, c.Entitlement, limits[i].limited, period)
		if err != nil {
			return err
		}
	}
	return nil
}

// ofBatch finds the reservations of a batch; its second half is what lets the index of open batches be used.
const ofBatch = " WHERE batch = ? AND batch <> ''"

// releaseBatch forgets the staged charges of a batch that is given up before reserveBatch.
func (l *Ledger) releaseBatch(tx *db.Tx, batchID string) error {
	err := tx.Later("DELETE FROM reservations"+ofBatch, batchID)
	return err
}

// reservation is a row of the table reservations.
type reservation struct {
	Owner       string `db:"owner"`
	Entitlement string `db:"entitlement"`
	Account     string `db:"account_id"`
	Period      string `db:"period"`
	Units       int64  `db:"units"`
	Counted     bool   `db:"counted"`
	Process     string `db:"process"`
	Batch       string `db:"batch"`
}

// insertReservations takes the charges, each with its limit, and writes rows like r for them.
func insertReservations(tx *db.Tx, r reservation, charges []Charge, limits []limit) error {
	for i, c := range charges {
		if err := take(tx, r.Account, r.Period, c, limits[i]); err != nil {
			return err
		}
		r.Entitlement, r.Units, r.Counted = c.Entitlement, c.Units, limits[i].limited
		err := tx.LaterNamed(`INSERT INTO reservations (owner, entitlement, account_id, period, units, counted, process, batch)
			VALUES (:owner, :entitlement, :account_id, :period, :units, :counted, :process, :batch)`, r)
		if err != nil {
			return err
		}
	}
	return nil
}

// take adds the charge to what is reserved, where there is a limit and it allows that. One statement decides and writes,
// so that beside each other no more than the limit get through.
func take(tx *db.Tx, accountID, period string, c Charge, l limit) error {
	if !l.limited {
		return nil
	}
	if c.Units <= l.units {
		n, err := tx.Exec(`INSERT INTO usage (account_id, period, entitlement, reserved, committed) VALUES (?, ?, ?, ?, 0)
			ON CONFLICT (account_id, period, entitlement) DO UPDATE SET reserved = usage.reserved + excluded.reserved
			WHERE usage.reserved + usage.committed + excluded.reserved <= ?`, accountID, period, c.Entitlement, c.Units, l.units)
		if err != nil || n == 1 {
			return err
		}
	}
	used, err := usedOf(tx, accountID, period, c.Entitlement)
	if err != nil {
		return err
	}
	return &QuotaError{Entitlement: c.Entitlement, Current: used, Limit: l.units, Period: periodOf(period)}
}

// usedOf gives what stands against a limit.
func usedOf(tx *db.Tx, accountID, period, entitlement string) (used int64, err error) {
	err = tx.Get(&used, "SELECT coalesce(max(reserved + committed), 0) FROM usage WHERE account_id = ? AND period = ? AND entitlement = ?",
		accountID, period, entitlement)
	return used, err
}

// settleReservations ends what the owner has reserved and gives how many reservations that were.
func settleReservations(tx *db.Tx, owner string, success bool) (int, error) {
	var ended []reservation
	if err := tx.Select(&ended, "DELETE FROM reservations WHERE owner = ? RETURNING *", owner); err != nil {
		return 0, err
	}
	return len(ended), endReservations(tx, ended, success)
}

// endReservations counts or gives back what has left the table reservations. Everybody changes usage in this order, so that
// none of two waits for the other.
func endReservations(tx *db.Tx, ended []reservation, success bool) error {
	slices.SortFunc(ended, func(a, b reservation) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Period, b.Period), cmp.Compare(a.Entitlement, b.Entitlement))
	})
	for _, r := range ended {
		committed := int64(0)
		if success {
			committed = r.Units
		}
		var err error
		switch {
		case r.Counted:
			err = tx.Later("UPDATE usage SET reserved = reserved - ?, committed = committed + ? WHERE account_id = ? AND period = ? AND entitlement = ?",
				r.Units, committed, r.Account, r.Period, r.Entitlement)
		case success:
			err = count(tx, r.Account, r.Period, Charge{r.Entitlement, r.Units})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// count adds units that were never reserved.
func count(tx *db.Tx, accountID, period string, c Charge) error {
	err := tx.Later(`INSERT INTO usage (account_id, period, entitlement, reserved, committed) VALUES (?, ?, ?, 0, ?)
		ON CONFLICT (account_id, period, entitlement) DO UPDATE SET committed = usage.committed + excluded.committed`,
		accountID, period, c.Entitlement, c.Units)
	return err
}
