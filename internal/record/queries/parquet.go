package queries

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/bench/record/export"
)

// Parquet returns the format of a Parquet file with a column for each of export.Columns, compressed with Snappy.
func Parquet() export.Format { return export.Format{Name: export.ParquetName, Write: writeParquet} }

// rowGroup is the number of rows that are collected in memory before they are written.
const rowGroup = 100_000

func writeParquet(to io.Writer, s export.Samples) error {
	w := parquet.NewGenericWriter[export.Row](to, parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(rowGroup))
	one := make([]export.Row, 1)
	for r := range s.Rows() {
		one[0] = r
		if _, err := w.Write(one); err != nil {
			return err
		}
	}
	return w.Close()
}
