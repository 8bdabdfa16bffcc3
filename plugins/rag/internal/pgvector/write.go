package pgvector

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"hash"
	"strconv"
	"time"

	"github.com/plumbline-ml/plumbline/plugins/rag/internal/index"
)

// Names of the table that is searched, and of the table that replaces it after all passages are written.
const (
	tableName    = "plumbline_passages"
	stagingTable = tableName + "_new"
)

// batchSize is the number of passages per insertion.
const batchSize = 256

// TableWriter writes passages into a new table, which finally replaces the previous one. It is not safe for concurrent
// use.
type TableWriter struct {
	*Store
	dim, count int
	sum        hash.Hash
	contents   []string
	sources    []string
	ids        []int32
	urls       []string
	vectors    []string
}

// NewWriter returns a writer. It sends nothing yet.
func (s *Store) NewWriter() *TableWriter { return &TableWriter{Store: s, sum: md5.New()} }

// Len returns the number of added passages.
func (w *TableWriter) Len() int { return w.count }

// Dim returns the number of values per vector.
func (w *TableWriter) Dim() int { return w.dim }

// Add adds a passage. The first call creates the table.
func (w *TableWriter) Add(ctx context.Context, p index.Passage, v []float32) error {
	if w.count == 0 {
		w.dim = len(v)
		if err := w.createTable(ctx); err != nil {
			return err
		}
	}
	if len(v) != w.dim {
		return fmt.Errorf("%w: %d values, want %d", index.ErrVector, len(v), w.dim)
	}
	text := formatVector(v)
	fmt.Fprintf(w.sum, "%q %q %d %q %s\n", p.Text, p.Source, p.ID, p.URL, text)
	w.contents, w.sources, w.ids = append(w.contents, p.Text), append(w.sources, p.Source), append(w.ids, int32(p.ID))
	w.urls, w.vectors = append(w.urls, p.URL), append(w.vectors, text)
	if w.count++; len(w.vectors) < batchSize {
		return nil
	}
	return w.sendBatch(ctx)
}

func (w *TableWriter) createTable(ctx context.Context) error {
	return w.withLimit(ctx, "make the table "+stagingTable, func(ctx context.Context) error {
		_, err := w.pool.Exec(ctx, "DROP TABLE IF EXISTS "+stagingTable+"; CREATE TABLE "+stagingTable+" ("+
			"content text NOT NULL, "+
			"source text NOT NULL, passage int NOT NULL, url text NOT NULL, embedding vector("+strconv.Itoa(w.dim)+") NOT NULL)")
		return err
	})
}

// sendBatch inserts the collected passages.
func (w *TableWriter) sendBatch(ctx context.Context) error {
	if len(w.vectors) == 0 {
		return nil
	}
	err := w.withLimit(ctx, fmt.Sprintf("write passages up to %d", w.count), func(ctx context.Context) error {
		_, err := w.pool.Exec(ctx, "INSERT INTO "+stagingTable+" SELECT c, s, p, u, e::vector FROM "+
			"unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[]) AS t(c, s, p, u, e)",
			w.contents, w.sources, w.ids, w.urls, w.vectors)
		return err
	})
	w.contents, w.sources, w.ids = w.contents[:0], w.sources[:0], w.ids[:0]
	w.urls, w.vectors = w.urls[:0], w.vectors[:0]
	return err
}

// FinishTable creates the index and replaces the previous table. It returns the MD5, in lower-case hex, of the passages
// and vectors in order.
func (w *TableWriter) FinishTable(ctx context.Context) (md5 string, err error) {
	if err := w.sendBatch(ctx); err != nil {
		return "", err
	}
	p := index.OfficialParams()
	err = w.execWatched(ctx, "make the index", fmt.Sprintf("CREATE INDEX ON %s USING hnsw (embedding vector_l2_ops) "+
		"WITH (m = %d, ef_construction = %d)", stagingTable, p.M, p.EFConstruction))
	if err != nil {
		return "", err
	}
	err = w.withLimit(ctx, "put "+stagingTable+" in the place of "+tableName, func(ctx context.Context) error {
		_, err := w.pool.Exec(ctx, "BEGIN; DROP TABLE IF EXISTS "+tableName+
			"; ALTER TABLE "+stagingTable+" RENAME TO "+tableName+
			"; COMMIT")
		return err
	})
	return hex.EncodeToString(w.sum.Sum(nil)), err
}

// execWatched executes a command that may take any time, as long as the store answers other requests meanwhile.
func (s *Store) execWatched(ctx context.Context, what, command string) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(s.requestTimeout):
			}
			if err := s.withLimit(ctx, what, s.pool.Ping); err != nil {
				cancel(err)
				return
			}
		}
	}()
	_, err := s.pool.Exec(ctx, command)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w %s: %s: %w", ErrStore, s.name, what, err)
}
