// Package pgvector stores passages that are too many for one machine in a PostgreSQL table with the extension pgvector.
// It writes them with an index of hierarchical navigable small worlds, and finds the passages nearest to a query.
//
// In scope: the table plumbline_passages, time limits. Out of scope: embedding texts.
package pgvector

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/plumbline-ml/plumbline/plugins/rag/internal/index"
)

// ErrStore is wrapped by every error of a store, for example if it is unreachable, does not answer, or lacks a table.
var ErrStore = errors.New("store of passages")

// ErrAddress is wrapped by errors of invalid addresses and of conflicting settings.
var ErrAddress = errors.New("want postgres://USER@HOST:PORT/DATABASE")

// errLate means that a store did not answer in time.
var errLate = errors.New("no answer within the timeout")

// Store is a connection to a PostgreSQL server. It is safe for concurrent use.
type Store struct {
	pool           *pgxpool.Pool
	name           string
	requestTimeout time.Duration
}

// Open connects to the store at postgres://USER@HOST:PORT/DATABASE and checks that it has pgvector. It uses TLS or a
// socket of this machine; it connects without either only with sslmode=disable. limit applies to each request, except
// the creation of an index, which may take any time while the store answers other requests.
func Open(ctx context.Context, address string, limit time.Duration, connections int) (*Store, error) {
	c, err := pgxpool.ParseConfig(address)
	if err != nil { // the error does not contain the password
		return nil, fmt.Errorf("%w: %w: %w", ErrStore, ErrAddress, err)
	}
	dropPlaintextFallbacks(&c.ConnConfig.Config)
	c.MaxConns = int32(max(1, connections)) + 1 // one connection checks that the store still answers
	c.ConnConfig.ConnectTimeout = limit
	c.AfterConnect = func(ctx context.Context, one *pgx.Conn) error {
		_, err := one.Exec(ctx, "SET hnsw.ef_search = "+strconv.Itoa(index.OfficialParams().EFSearch))
		return err
	}
	at := net.JoinHostPort(c.ConnConfig.Host, strconv.Itoa(int(c.ConnConfig.Port)))
	s := &Store{name: at + "/" + c.ConnConfig.Database, requestTimeout: limit}
	if s.pool, err = pgxpool.NewWithConfig(ctx, c); err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrStore, s.name, err)
	}
	var has bool
	err = s.withLimit(ctx, "connect", func(ctx context.Context) error {
		return s.pool.QueryRow(ctx, "SELECT to_regtype('vector') IS NOT NULL").Scan(&has)
	})
	if err == nil && !has {
		err = fmt.Errorf("%w %s: it has no type vector: want pgvector (CREATE EXTENSION vector)", ErrStore, s.name)
	}
	if err != nil {
		s.pool.Close()
		return nil, err
	}
	return s, nil
}

// Name returns HOST:PORT/DATABASE.
func (s *Store) Name() string { return s.name }

// Close closes the connections.
func (s *Store) Close() error {
	s.pool.Close()
	return nil
}

// withLimit runs request with the time limit. what names the request in errors.
func (s *Store) withLimit(ctx context.Context, what string, request func(context.Context) error) error {
	limited, cancel := context.WithTimeoutCause(ctx, s.requestTimeout, errLate)
	defer cancel()
	err := request(limited)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case limited.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("%w of %v", errLate, s.requestTimeout)
	}
	if strings.Contains(err.Error(), "server refused TLS connection") {
		err = fmt.Errorf("%w: it has no TLS; sslmode=disable in the address (or PGSSLMODE) sends all that is said in clear, "+
			"a password too", err)
	}
	return fmt.Errorf("%w %s: %s: %w", ErrStore, s.name, what, err)
}

// Dim returns the number of values of the table's vectors.
func (s *Store) Dim(ctx context.Context) (dim int, err error) {
	err = s.withLimit(ctx, "look for the table "+tableName, func(ctx context.Context) error {
		err := s.pool.QueryRow(ctx, "SELECT atttypmod FROM pg_attribute WHERE attrelid = to_regclass('"+tableName+
			"') AND attname = 'embedding'").Scan(&dim)
		if errors.Is(err, pgx.ErrNoRows) {
			return errors.New("the table does not exist; load the passages that a run of e2e-rag-db wrote (--param index=)")
		}
		return err
	})
	return dim, err
}

// Search returns approximately the k passages nearest to a query, nearest first.
func (s *Store) Search(ctx context.Context, query []float32, k int) (found []index.Passage, err error) {
	err = s.withLimit(ctx, "search", func(ctx context.Context) error {
		rows, err := s.pool.Query(ctx, "SELECT content, source, passage, url FROM "+tableName+
			" ORDER BY embedding <-> $1::text::vector LIMIT $2", formatVector(query), k)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p index.Passage, err error) {
			err = row.Scan(&p.Text, &p.Source, &p.ID, &p.URL)
			return p, err
		})
		return err
	})
	return found, err
}

// formatVector formats a vector in pgvector's syntax.
func formatVector(v []float32) string {
	b := []byte{'['}
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return string(append(b, ']'))
}
