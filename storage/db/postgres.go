package db

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"

	"github.com/einvoiced/einvoiced/storage/fair"
)

// postgres is a PostgreSQL database.
type postgres struct {
	cfg     Config
	log     *slog.Logger
	read    *sqlx.DB
	writer  *sqlx.DB
	probe   *sqlx.DB // one connection, so that health does not wait behind work
	stop    context.CancelFunc
	stopped context.Context

	closing sync.RWMutex // held for reading by every Write

	// places are for transactions, two for each connection of the writer: an account that is alone uses all connections, and one that is not leaves one
	// free for the others.
	places *fair.Shared
	recent fair.Recent // who had one

	mu         sync.Mutex
	complained time.Time

	presence presence
	looking  sync.WaitGroup
}

func openPostgres(ctx context.Context, cfg Config) (engine, error) {
	conn, err := parseURL(cfg.URL)
	if err != nil {
		return nil, err
	}
	if err := migratePostgres(ctx, conn, cfg.Existing); err != nil {
		return nil, err
	}
	p := &postgres{cfg: cfg, log: cfg.Logger}
	p.places = fair.New(2*int64(cfg.Writers), &p.recent)
	p.stopped, p.stop = context.WithCancel(context.Background())
	p.writer = p.pool(conn, cfg.Writers, "off")
	p.read = p.pool(conn, cfg.Readers, "on")
	p.probe = p.pool(conn, 1, "on")
	p.looking.Go(p.lookOut)
	if err := p.begin(ctx); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *postgres) others(account string, now time.Time) bool { return p.recent.Others(account, now) }

// parseURL gives the settings of a connection. Of several hosts the primary is used.
func parseURL(url string) (*pgx.ConnConfig, error) {
	if !strings.HasPrefix(url, "postgres://") && !strings.HasPrefix(url, "postgresql://") {
		return nil, errors.New("database: URL must begin with postgres://")
	}
	conn, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	if conn.ConnectTimeout == 0 {
		conn.ConnectTimeout = 5 * time.Second
	}
	if conn.ValidateConnect == nil {
		conn.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsPrimary
	}
	if conn.RuntimeParams["application_name"] == "" {
		conn.RuntimeParams["application_name"] = "einvoiced"
	}
	return conn, nil
}

// keepAlive has the server look whether a silent client is still there, and give it up after 25 s: in the midst of a message that is
// torn, no other limit holds.
var keepAlive = map[string]string{"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}

// pool prepares a pool of n connections. Each has a name of its own, under which write marks its transactions; and the server
// ends what one of them does too long, so that the locks of a process that is cut off are not kept.
func (p *postgres) pool(base *pgx.ConnConfig, n int, readOnly string) *sqlx.DB {
	conn := base.Copy()
	limit := strconv.FormatInt(p.cfg.Timeout.Milliseconds(), 10)
	conn.RuntimeParams["default_transaction_read_only"] = readOnly
	conn.RuntimeParams["statement_timeout"] = limit
	conn.RuntimeParams["idle_in_transaction_session_timeout"] = limit
	maps.Copy(conn.RuntimeParams, keepAlive)
	name := stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
		c.PgConn().CustomData()[nameKey] = rand.Text()
		if readOnly == "on" {
			return nil
		}
		for name, statement := range preparedStatements {
			if _, err := c.Prepare(ctx, name, statement); err != nil {
				return fmt.Errorf("prepare %s: %w", name, err)
			}
		}
		return nil
	})
	pool := sqlx.NewDb(stdlib.OpenDB(*conn, name), "pgx").Unsafe() // as on SQLite: later versions may have added columns
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return pool
}

// begin looks at the settings of the server that durability depends on, and removes the marks of connections that are long gone.
func (p *postgres) begin(ctx context.Context) error {
	var off []string
	err := p.sel(ctx, &off, "SELECT name FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') AND setting = 'off'", nil)
	if err != nil {
		return fmt.Errorf("read settings of database: %w", err)
	}
	if len(off) > 0 {
		p.log.Warn("PostgreSQL is set up so that it may lose what it has acknowledged", "off", off)
	}
	return p.write(ctx, func(tx *Tx) error {
		_, err := tx.Exec("DELETE FROM write_marks WHERE at < ?", time.Now().Add(-markAge).UnixMilli())
		return err
	})
}

func (p *postgres) get(ctx context.Context, dst any, query string, args []any) error {
	query = sqlx.Rebind(sqlx.DOLLAR, query)
	return p.query(ctx, func(ctx context.Context, conn *sqlx.Conn) error { return conn.GetContext(ctx, dst, query, args...) })
}

func (p *postgres) sel(ctx context.Context, dst any, query string, args []any) error {
	query = sqlx.Rebind(sqlx.DOLLAR, query)
	rows := reflect.ValueOf(dst)
	return p.query(ctx, func(ctx context.Context, conn *sqlx.Conn) error {
		if rows.Kind() == reflect.Pointer && rows.Elem().Kind() == reflect.Slice {
			rows.Elem().SetLen(0) // what a lost connection has left of the try before
		}
		return conn.SelectContext(ctx, dst, query, args...)
	})
}

// query runs what only reads, and runs it again after a lost connection.
func (p *postgres) query(ctx context.Context, do func(context.Context, *sqlx.Conn) error) error {
	return p.retry(ctx, func(ctx context.Context) (err error) {
		conn, err := p.connection(ctx, p.read)
		if err != nil {
			return err
		}
		defer conn.Close()
		if err := do(ctx, conn); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return p.passing(driver(conn), err)
		} else {
			return err
		}
	})
}

func (p *postgres) close() error {
	p.stop()
	p.looking.Wait()
	p.closing.Lock()
	defer p.closing.Unlock()
	return errors.Join(p.read.Close(), p.writer.Close(), p.probe.Close())
}
