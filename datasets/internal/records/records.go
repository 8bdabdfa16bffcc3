package records

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// TableColumn describes a column that a data set may contain.
type TableColumn struct {
	Name     string
	TokenIDs bool // the column contains token TokenIDs instead of text
	Required bool
	Allowed  []string // allowed texts; nil: any. If the column is not required, it may also have no text
}

// checkText returns an error if the column may not contain text.
func (c TableColumn) checkText(text string) error {
	if c.Allowed == nil || slices.Contains(c.Allowed, text) || text == "" && !c.Required {
		return nil
	}
	return fmt.Errorf("found %.40q, want one of %s", text, strings.Join(c.Allowed, ", "))
}

// RecordTable contains the columns of a file. Columns that the file lacks and null values read as "" or nil.
type RecordTable struct {
	texts map[string][]string
	ids   map[string][][]int32
	rows  int
	names []string // names of the file's columns; for JSON, of its first object
}

// ColumnNames returns the names of the file's columns, sorted. For JSON they come from the first object.
func (t *RecordTable) ColumnNames() []string { return t.names }

// Len returns the number of rows.
func (t *RecordTable) Len() int { return t.rows }

// HasColumn reports whether a column contains any value.
func (t *RecordTable) HasColumn(column string) bool {
	return t.texts[column] != nil || t.ids[column] != nil
}

// Text returns a value of a text column.
func (t *RecordTable) Text(column string, row int) string {
	if c := t.texts[column]; c != nil {
		return c[row]
	}
	return ""
}

// TokenIDs returns a value of a column of token TokenIDs. The caller must not change it.
func (t *RecordTable) TokenIDs(column string, row int) []int32 {
	if c := t.ids[column]; c != nil {
		return c[row]
	}
	return nil
}

// ReadTable reads the given columns of a file. path is the file or its folder; see [FindFile]. Other columns are
// ignored. limit is the number of rows to read; 0 means all. Invalid records are added to faults. The error is set if
// the file cannot be read to the end.
func ReadTable(path, name string, columns []TableColumn, limit int, faults *fault.FaultList) (t *RecordTable,
	err error) {
	path, err = FindFile(path, name)
	if err != nil {
		return nil, err
	}
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	limit = cmp.Or(limit, math.MaxInt)
	r := tableReader{columns: columns, limit: limit, faults: faults, table: newTable(columns)}
	if err := r.readFile(f, info.Size()); err != nil {
		return nil, err
	}
	r.dropEmptyColumns()
	return r.table, nil
}

func newTable(columns []TableColumn) *RecordTable {
	t := &RecordTable{texts: map[string][]string{}, ids: map[string][][]int32{}}
	for _, c := range columns {
		if c.TokenIDs {
			t.ids[c.Name] = [][]int32{}
		} else {
			t.texts[c.Name] = []string{}
		}
	}
	return t
}

type tableReader struct {
	columns []TableColumn
	limit   int
	faults  *fault.FaultList
	table   *RecordTable
	seen    map[string]bool // columns that contain a value
	bytes   int             // size of the values read from Parquet
}

func (r *tableReader) readFile(f *os.File, size int64) error {
	r.seen = map[string]bool{}
	in := bufio.NewReaderSize(f, 1<<20)
	magic, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case string(magic) == "PAR1":
		return r.readParquet(f, size)
	case len(magic) > 0 && magic[0] == 0x80:
		return fmt.Errorf("it is a Python pickle, %w", errPickle)
	}
	return r.readJSON(bufio.NewReader(pyvalue.NewNullReader(in)))
}

// RecordLabel returns the name of a record in faults.
func RecordLabel(row int) string { return fmt.Sprintf("record %d", row) }

// dropEmptyColumns removes columns without values, and reports required ones as faults.
func (r *tableReader) dropEmptyColumns() {
	for _, c := range r.columns {
		if r.seen[c.Name] {
			continue
		}
		delete(r.table.texts, c.Name)
		delete(r.table.ids, c.Name)
		if c.Required && r.table.rows > 0 {
			r.faults.Addf("", "no column %q", c.Name)
		}
	}
	if r.table.rows == 0 {
		r.faults.Addf("", "no records")
	}
}
