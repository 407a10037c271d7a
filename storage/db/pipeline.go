package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
)

// pipeline carries the statements of a transaction of PostgreSQL out. What nobody waits for is kept until somebody waits for a
// statement after it, and sent in the same message: the beginning of the transaction, what Later and Also were given, and at the
// end the mark and the commit.
type pipeline struct {
	ctx     context.Context
	conn    *pgx.Conn
	waiting []statement
	sent    bool // the server knows of the transaction
}

// statement is one that is to be sent, with what its result is given to; nil where nobody wants it.
type statement struct {
	query string
	args  []any
	read  func(pgx.Rows) error
	none  error // of Must
}

// mustStatement has the server refuse what follows a change of nothing, so that nobody has to wait for the number of rows.
const mustStatement = "WITH changed AS (%s RETURNING 1) SELECT 1 / count(*) FROM changed"

const divisionByZero = "22012"

// cause gives the error that a failure of the statement is.
func (s statement) cause(err error) error {
	var e *pgconn.PgError
	if s.none != nil && errors.As(err, &e) && e.Code == divisionByZero {
		return s.none
	}
	return err
}

func (p *pipeline) exec(query string, args []any) (rows int64, err error) {
	err = p.send(statement{query: query, args: args, read: func(r pgx.Rows) error {
		r.Close()
		rows = r.CommandTag().RowsAffected()
		return r.Err()
	}})
	return rows, err
}

func (p *pipeline) get(dst any, query string, args []any) error {
	found := false
	err := p.send(statement{query: query, args: args, read: func(r pgx.Rows) (err error) {
		if found = r.Next(); found {
			err = newScanner(r, reflect.TypeOf(dst).Elem()).scan(reflect.ValueOf(dst).Elem())
		}
		return err
	}})
	if err == nil && !found {
		return sql.ErrNoRows
	}
	return err
}

func (p *pipeline) sel(dst any, query string, args []any) error {
	return p.send(statement{query: query, args: args, read: readAll(dst)})
}

func (p *pipeline) also(dst any, query string, args []any) error {
	p.waiting = append(p.waiting, statement{query: query, args: args, read: readAll(dst)})
	return nil
}

func (p *pipeline) later(query string, args []any) error {
	p.waiting = append(p.waiting, statement{query: query, args: args})
	return nil
}

func (p *pipeline) must(none error, query string, args []any) error {
	p.waiting = append(p.waiting, statement{query: fmt.Sprintf(mustStatement, query), args: args, none: none})
	return nil
}

// await sends what waits where somebody waits for something of it.
func (p *pipeline) await() error {
	if slices.ContainsFunc(p.waiting, func(s statement) bool { return s.read != nil }) {
		return p.send()
	}
	return nil
}

// send sends what waits and the statements after it, and reads what comes of them. The error is that of the first that has failed;
// the server carries out none of those after it.
func (p *pipeline) send(last ...statement) error {
	all := append(p.waiting, last...)
	p.waiting = nil
	batch := &pgx.Batch{}
	if !p.sent {
		batch.Queue(beginName)
	}
	for _, s := range all {
		batch.Queue(sqlx.Rebind(sqlx.DOLLAR, s.query), s.args...)
	}
	results := p.conn.SendBatch(p.ctx, batch)
	err := p.receive(results, all)
	if closed := results.Close(); err == nil {
		err = closed
	}
	return err
}

// receive reads the results of the statements, and of the beginning before them.
func (p *pipeline) receive(results pgx.BatchResults, all []statement) error {
	if !p.sent {
		if _, err := results.Exec(); err != nil {
			return fmt.Errorf("begin transaction: %w", err)
		}
		p.sent = true
	}
	for _, s := range all {
		if s.read == nil {
			if _, err := results.Exec(); err != nil {
				return s.cause(err)
			}
			continue
		}
		rows, err := results.Query()
		if err == nil {
			err = s.read(rows)
			rows.Close()
		}
		if err == nil {
			err = rows.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readAll appends rows to the slice that dst points to.
func readAll(dst any) func(pgx.Rows) error {
	slice := reflect.ValueOf(dst).Elem()
	return func(r pgx.Rows) error {
		s := newScanner(r, slice.Type().Elem())
		for r.Next() {
			row := reflect.New(slice.Type().Elem()).Elem()
			if err := s.scan(row); err != nil {
				return err
			}
			slice.Set(reflect.Append(slice, row))
		}
		return nil
	}
}

// fields finds the fields of structs by their tags, as sqlx does.
var fields = reflectx.NewMapperFunc("db", strings.ToLower)

// scanner reads rows into values of one type: a struct with fields for the columns, or one value for the only column.
type scanner struct {
	rows pgx.Rows
	into [][]int // of a struct: the field of each column; empty for one that it does not know, which a later version may have added
}

func newScanner(rows pgx.Rows, of reflect.Type) scanner {
	s := scanner{rows: rows}
	if of.Kind() != reflect.Struct || reflect.PointerTo(of).Implements(reflect.TypeFor[sql.Scanner]()) {
		return s
	}
	var names []string
	for _, column := range rows.FieldDescriptions() {
		names = append(names, column.Name)
	}
	s.into = fields.TraversalsByName(of, names)
	return s
}

// scan reads the present row.
func (s scanner) scan(value reflect.Value) error {
	if s.into == nil {
		return s.rows.Scan(value.Addr().Interface())
	}
	cells := make([]any, len(s.into)) // the driver passes over what is nil
	for i, path := range s.into {
		if len(path) > 0 {
			cells[i] = reflectx.FieldByIndexes(value, path).Addr().Interface()
		}
	}
	return s.rows.Scan(cells...)
}
