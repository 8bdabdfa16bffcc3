package records

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/lists"
)

// readParquet reads the columns of all row groups. The library panics on some damaged files, which is an error here.
func (r *reader) readParquet(f *os.File, size int64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it is damaged: %v", p)
		}
	}()
	if err := bounded.ParquetFooter(f, size); err != nil {
		return err
	}
	file, err := parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return err
	}
	r.table.rows = int(min(file.NumRows(), int64(r.limit)))
	r.table.names = lists.Map(file.Root().Columns(), (*parquet.Column).Name)
	slices.Sort(r.table.names)
	for _, c := range r.columns {
		column := file.Root().Column(c.Name)
		if column == nil {
			continue
		}
		if err := r.readColumn(file, column, c); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return nil
}

// readColumn reads a column of the file, whose one leaf holds the texts, or the elements of the lists.
func (r *reader) readColumn(file *parquet.File, column *parquet.Column, c Column) error {
	depth := 0
	for !column.Leaf() {
		if children := column.Columns(); len(children) == 1 {
			column = children[0]
			depth++
			continue
		}
		return errors.New("it is a structure, want text or a list of token ids")
	}
	kind := column.Type().Kind()
	numeric := kind == parquet.Int32 || kind == parquet.Int64
	if c.IDs && (!numeric || depth == 0) {
		return fmt.Errorf("it has %v, want a list of token ids", column.Type())
	}
	if !c.IDs && (depth > 0 || kind != parquet.ByteArray && !numeric) {
		return fmt.Errorf("it has %v, want text", column.Type())
	}
	r.seen[c.Name] = true
	cells := cells{reader: r, column: c, row: -1}
	for _, group := range file.RowGroups() {
		if err := cells.readChunk(group.ColumnChunks()[column.Index()]); err != nil {
			return err
		}
	}
	if cells.row+1 < r.table.rows {
		return fmt.Errorf("it has %d values, want %d: %w", cells.row+1, r.table.rows, io.ErrUnexpectedEOF)
	}
	return nil
}

// cells appends the values of a column to the table, row by row.
type cells struct {
	reader *reader
	column Column
	row    int
}

func (c *cells) readChunk(chunk parquet.ColumnChunk) (err error) {
	pages := chunk.Pages()
	defer func() { err = errors.Join(err, pages.Close()) }()
	buffer := make([]parquet.Value, 4096)
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = c.readPage(page.Values(), buffer)
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
}

func (c *cells) readPage(values parquet.ValueReader, buffer []parquet.Value) error {
	for {
		n, err := values.ReadValues(buffer)
		for _, v := range buffer[:n] {
			c.add(v)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n == 0 {
			return io.ErrNoProgress
		}
	}
}

func (c *cells) add(v parquet.Value) {
	if v.RepetitionLevel() == 0 {
		c.row++
	}
	if c.row >= c.reader.table.rows {
		return
	}
	if c.column.IDs {
		c.addID(v)
		return
	}
	text := ""
	switch {
	case v.IsNull():
		if c.column.Required {
			c.fault("it is missing")
		}
	case v.Kind() == parquet.ByteArray:
		if text = string(v.ByteArray()); !utf8.ValidString(text) {
			c.fault("it is not UTF-8")
		}
	default:
		text = v.String()
	}
	if err := c.column.check(text); err != nil && !v.IsNull() {
		c.fault(err.Error())
	}
	texts := c.reader.table.texts
	texts[c.column.Name] = append(texts[c.column.Name], text)
}

// addID appends a token id to its row's list. A list without elements is one null.
func (c *cells) addID(v parquet.Value) {
	ids := c.reader.table.ids
	list := ids[c.column.Name]
	if v.RepetitionLevel() == 0 {
		list = append(list, nil)
	}
	if !v.IsNull() {
		id := v.Int64()
		if v.Kind() == parquet.Int32 {
			id = int64(v.Int32())
		}
		if id < 0 || id > math.MaxInt32 {
			c.fault(fmt.Sprintf("id %d, want 0 to %d", id, math.MaxInt32))
		}
		list[c.row] = append(list[c.row], int32(id))
	}
	ids[c.column.Name] = list
}

func (c *cells) fault(problem string) {
	c.reader.faults.Addf(Where(c.row), "%s: %s", c.column.Name, problem)
}
