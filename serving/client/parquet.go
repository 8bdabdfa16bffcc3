package client

import (
	"encoding/json"
	"iter"

	"github.com/plumbline-ml/plumbline/datasets/parquetfile"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// OpenParquet opens a Parquet file as a table: for prompts.Options.
func OpenParquet(path string) (prompts.Table, error) {
	f, err := parquetfile.Open(path)
	if err != nil {
		return nil, err
	}
	return table{f}, nil
}

// table is a Parquet file.
type table struct{ *parquetfile.File }

// Rows implements prompts.Table.
func (t table) Rows(want func(column string) bool) iter.Seq2[json.RawMessage, error] {
	return t.Objects(want)
}
