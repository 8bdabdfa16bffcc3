package queries

import (
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/bench/record/export"
)

// row is a Row with the names and types of the Parquet columns.
type row struct {
	Query      uint64 `parquet:"query,delta"`
	Sample     uint64 `parquet:"sample,delta"`
	Index      uint32 `parquet:"sample_index"`
	Scheduled  int64  `parquet:"scheduled_ns,delta"`
	Issued     int64  `parquet:"issued_ns,delta"`
	FirstToken *int64 `parquet:"first_token_ns,optional"`
	Completed  *int64 `parquet:"completed_ns,optional"`
	Latency    *int64 `parquet:"latency_ns,optional"`
	Tokens     *int64 `parquet:"tokens,optional"`
	Run        string `parquet:"run,dict"`
}

// Parquet is a Parquet file with a column for each of export.Columns, compressed by Snappy.
func Parquet() export.Format { return export.Format{Name: export.ParquetName, Write: writeParquet} }

// rowGroup is how many rows are held in memory until they are written.
const rowGroup = 100_000

func writeParquet(to io.Writer, s export.Samples) error {
	w := parquet.NewGenericWriter[row](to, parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(rowGroup))
	one := make([]row, 1)
	for r := range s.Rows() {
		one[0] = row(r)
		if _, err := w.Write(one); err != nil {
			return err
		}
	}
	return w.Close()
}
