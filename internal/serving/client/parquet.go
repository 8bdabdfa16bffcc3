package client

import (
	"encoding/json"
	"iter"

	"github.com/plumbline-ml/plumbline/internal/parquetfile"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// OpenParquet opens a Parquet file as a table for prompts.Options.
func OpenParquet(path string) (prompts.Table, error) {
	f, err := parquetfile.Open(path)
	if err != nil {
		return nil, err
	}
	return parquetTable{f}, nil
}

// parquetTable reads the rows of a Parquet file.
type parquetTable struct{ *parquetfile.ParquetFile }

// Rows implements prompts.Table.
func (t parquetTable) Rows(wanted func(column string) bool) iter.Seq2[json.RawMessage, error] {
	return t.RowObjects(wanted)
}
