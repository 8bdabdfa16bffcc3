package records

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/parquetfile"
)

// Limits of a table in a Parquet file, where few bytes may represent any number of values.
const (
	maxRowBytes   = 64 << 20 // values of one row in one column
	maxTableBytes = 4 << 30  // all stored values
)

// readParquet reads the columns of all row groups.
func (r *tableReader) readParquet(f io.ReaderAt, size int64) error {
	file, err := parquetfile.New(f, size)
	if err != nil {
		return err
	}
	r.table.rows = int(min(file.RowCount(), int64(r.limit)))
	r.table.names = file.ColumnNames()
	slices.Sort(r.table.names)
	for _, c := range r.columns {
		column := file.FindColumn(c.Name)
		if column == nil {
			continue
		}
		if err := r.readColumn(file, column, c); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return nil
}

// findLeaf returns the only leaf of a column, which contains the texts or the elements of the lists.
func findLeaf(column *parquetfile.Column, c TableColumn) (*parquetfile.Column, error) {
	listed := false
	for !column.IsLeaf() {
		if len(column.Columns) != 1 {
			return nil, errors.New("it is a structure, want text or a list of token ids")
		}
		column, listed = column.Columns[0], true
	}
	whole := column.Meaning == parquetfile.Plain || column.Meaning == parquetfile.Unsigned
	numeric := whole && (column.Kind == parquetfile.Int32 || column.Kind == parquetfile.Int64)
	text := column.Kind == parquetfile.ByteArray &&
		(column.Meaning == parquetfile.Plain || column.Meaning == parquetfile.Text)
	if c.TokenIDs && (!numeric || !listed) {
		return nil, fmt.Errorf("it has %s, want a list of token ids", column.TypeName())
	}
	if !c.TokenIDs && (listed || !text && !numeric) {
		return nil, fmt.Errorf("it has %s, want text", column.TypeName())
	}
	return column, nil
}

func (r *tableReader) readColumn(file *parquetfile.ParquetFile, column *parquetfile.Column, c TableColumn) error {
	leaf, err := findLeaf(column, c)
	if err != nil {
		return err
	}
	r.seen[c.Name] = true
	cells := cellAppender{reader: r, column: c, leaf: leaf, row: -1}
	for group := range file.RowGroups() {
		if cells.row+1 >= r.table.rows && group > 0 {
			break
		}
		if err := cells.readGroup(file, group); err != nil {
			return err
		}
	}
	if cells.row+1 < r.table.rows {
		return fmt.Errorf("it has %d values, want %d: %w", cells.row+1, r.table.rows, io.ErrUnexpectedEOF)
	}
	return nil
}

// cellAppender appends the values of a column to the table, row by row.
type cellAppender struct {
	reader *tableReader
	column TableColumn
	leaf   *parquetfile.Column
	row    int
	bytes  int // size of the row's values
}

func (c *cellAppender) readGroup(file *parquetfile.ParquetFile, group int) (err error) {
	values, err := file.OpenColumn(group, c.leaf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, values.Close()) }()
	for {
		v, err := values.Next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if v.Repetition == 0 {
			c.row++
			c.bytes = 0
		}
		if c.row >= c.reader.table.rows {
			return nil
		}
		if err := c.addValue(v); err != nil {
			return err
		}
	}
}

// addValue adds a value to its row.
func (c *cellAppender) addValue(v *parquetfile.LeafValue) error {
	if c.row < 0 {
		return errors.New("it is damaged: it begins within a list")
	}
	const idBytes = 4
	n := idBytes
	if c.column.TokenIDs {
		c.addID(v)
	} else {
		n = len(c.addText(v))
	}
	c.bytes += n
	c.reader.bytes += n
	if c.bytes > maxRowBytes || c.reader.bytes > maxTableBytes {
		return fmt.Errorf("row %d: want at most %d MiB in a row, and %d in all", c.row, maxRowBytes>>20, maxTableBytes>>20)
	}
	return nil
}

func (c *cellAppender) addText(v *parquetfile.LeafValue) string {
	text := ""
	switch {
	case v.Null:
		if c.column.Required {
			c.addFault("it is missing")
		}
	case c.leaf.Kind == parquetfile.ByteArray:
		if text = string(v.Bytes); !utf8.ValidString(text) {
			c.addFault("it is not UTF-8")
		}
	default:
		text = c.formatInt(v)
	}
	if err := c.column.checkText(text); err != nil && !v.Null {
		c.addFault(err.Error())
	}
	texts := c.reader.table.texts
	texts[c.column.Name] = append(texts[c.column.Name], text)
	return text
}

func (c *cellAppender) formatInt(v *parquetfile.LeafValue) string {
	switch {
	case c.leaf.Meaning == parquetfile.Unsigned && c.leaf.Kind == parquetfile.Int32:
		return strconv.FormatUint(uint64(uint32(v.Number)), 10)
	case c.leaf.Meaning == parquetfile.Unsigned:
		return strconv.FormatUint(v.Number, 10)
	}
	return strconv.FormatInt(int64(v.Number), 10)
}

// addID appends a token ID to its row's list. An empty list is stored as a null.
func (c *cellAppender) addID(v *parquetfile.LeafValue) {
	ids := c.reader.table.ids
	list := ids[c.column.Name]
	if v.Repetition == 0 {
		list = append(list, nil)
	}
	switch {
	case v.Null && v.Definition >= c.leaf.Definition-1 && c.leaf.Optional:
		c.addFault("an id is missing")
	case !v.Null:
		if v.Number > math.MaxInt32 {
			c.addFault(fmt.Sprintf("id %s, want 0 to %d", c.formatInt(v), math.MaxInt32))
		}
		list[c.row] = append(list[c.row], int32(v.Number))
	}
	ids[c.column.Name] = list
}

func (c *cellAppender) addFault(problem string) {
	c.reader.faults.Addf(RecordLabel(c.row), "%s: %s", c.column.Name, problem)
}
