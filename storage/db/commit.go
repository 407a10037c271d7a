package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// A transaction whose commit was sent over a connection that then broke may have been committed or not, and a server that was
// killed may give its number to another one afterwards. So each transaction that changes something leaves a mark, in the same
// message as the commit: the connection's name and a number that grows. Who doubts reads the mark under the same name, which
// waits for the transaction if it is still under way, and seals it, so that a commit which arrives later fails. Where the message
// is torn between mark and commit, the transaction is under way until the server sees that the connection is gone.
const (
	nameKey = "einvoiced name" // of the connection, among the data that pgconn keeps with it
	markKey = "einvoiced mark" // of its last transaction

	sealStatement = `INSERT INTO write_marks (connection, mark, sealed, at) VALUES ($1, 0, 0, $2)
		ON CONFLICT (connection) DO UPDATE SET sealed = write_marks.mark RETURNING mark`

	markAge = 24 * time.Hour // after which a mark is of no use to anybody
)

// The statements of every transaction, which each connection that writes has prepared under these names.
const (
	beginName  = "begin"
	markName   = "mark"
	commitName = "commit"
)

var preparedStatements = map[string]string{
	beginName: "BEGIN ISOLATION LEVEL READ COMMITTED",
	markName: `INSERT INTO write_marks (connection, mark, at) VALUES ($1, $2, $3)
		ON CONFLICT (connection) DO UPDATE SET mark = excluded.mark, at = excluded.at`,
	commitName: "COMMIT",
}

// write runs fn in a transaction of its own until it is committed or has failed for good.
func (p *postgres) write(ctx context.Context, fn func(*Tx) error) error {
	p.closing.RLock()
	defer p.closing.RUnlock()
	return p.retry(ctx, func(ctx context.Context) error { return p.transact(ctx, fn) })
}

// transact is one try. ctx may end it until the commit is sent.
func (p *postgres) transact(ctx context.Context, fn func(*Tx) error) error {
	account := accountOf(ctx)
	if err := p.places.Await(ctx, account, 1); err != nil {
		return err
	}
	defer p.places.Give(account, 1)
	conn, err := p.connection(ctx, p.writer)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Raw(func(c any) (err error) {
		line := &pipeline{ctx: ctx, conn: c.(*stdlib.Conn).Conn()}
		tx := &Tx{on: line, postgres: true}
		defer func() { tx.ended(err == nil) }()
		err = call(tx, fn)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			err = errors.Join(err, p.rollback(line))
			if tx.failed != nil {
				return p.passing(line.conn, err)
			}
			return err
		}
		return p.commit(ctx, line, tx)
	})
}

// rollback ends the transaction; a connection that cannot do so any more has ended it.
func (p *postgres) rollback(line *pipeline) error {
	if line.conn.PgConn().TxStatus() == idle {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), p.cfg.Timeout)
	defer cancel()
	if _, err := line.conn.Exec(ctx, "ROLLBACK"); err != nil && !line.conn.IsClosed() {
		return fmt.Errorf("roll back transaction: %w", err)
	}
	return nil
}

// idle is what the server says of a connection that is in no transaction.
const idle = 'I'

// commit awaits the outcome whatever ctx does.
func (p *postgres) commit(ctx context.Context, line *pipeline, tx *Tx) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.cfg.Timeout)
	defer cancel()
	line.ctx = ctx
	if !tx.wrote {
		if err := line.end(); err != nil {
			return p.passing(line.conn, fmt.Errorf("commit transaction: %w", err))
		}
		return nil
	}
	m := nextMark(line.conn.PgConn())
	if err := line.end(statement{query: markName, args: []any{m.connection, m.number, time.Now().UnixMilli()}}); err != nil {
		return p.uncommitted(ctx, line, m, fmt.Errorf("commit transaction: %w", err))
	}
	return nil
}

// end sends what waits with the last statements and the commit. There is nothing to be ended where nothing was to be sent.
func (p *pipeline) end(last ...statement) error {
	if !p.sent && len(p.waiting)+len(last) == 0 {
		return nil
	}
	return p.send(append(last, statement{query: commitName})...)
}

// uncommitted finds out what a commit that ended with an error has come to. An error that the driver calls safe to retry is
// none here: it says so as well where a connection broke after the commit was sent.
func (p *postgres) uncommitted(ctx context.Context, line *pipeline, m mark, err error) error {
	if !line.conn.IsClosed() { // the server has answered with an error, and so the transaction is not committed
		return p.passing(line.conn, errors.Join(err, p.rollback(line)))
	}
	committed, doubt := p.resolve(ctx, m)
	switch {
	case doubt != nil:
		return errors.Join(ErrInDoubt, err, doubt)
	case committed:
		return nil
	}
	return &passing{err}
}

// resolve asks the database for the mark for as long as it would retry.
func (p *postgres) resolve(ctx context.Context, m mark) (committed bool, err error) {
	err = p.retry(context.WithoutCancel(ctx), func(ctx context.Context) error {
		conn, err := p.connection(ctx, p.writer)
		if err != nil {
			return err
		}
		defer conn.Close()
		var last int64
		if err := conn.GetContext(ctx, &last, sealStatement, m.connection, time.Now().UnixMilli()); err != nil {
			return &passing{err}
		}
		committed = last == m.number
		return nil
	})
	return committed, err
}

// mark is what a transaction leaves.
type mark struct {
	connection string
	number     int64
}

func nextMark(pg *pgconn.PgConn) mark {
	data := pg.CustomData()
	name, _ := data[nameKey].(string)
	last, _ := data[markKey].(int64)
	data[markKey] = last + 1
	return mark{name, last + 1}
}
