package client

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"strconv"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/plumbline-ml/plumbline/bench/serving/prompts"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// OpenParquet opens a Parquet file as a table: for prompts.Options.
func OpenParquet(path string) (prompts.Table, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, err
	}
	t := &table{disk: f}
	if err := t.open(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return t, nil
}

// table is a Parquet file.
type table struct {
	disk *os.File
	file *parquet.File
}

// Close closes the file.
func (t *table) Close() error { return t.disk.Close() }

func (t *table) open() (err error) {
	defer recovered(&err)
	info, err := t.disk.Stat()
	if err != nil {
		return err
	}
	if err := bounded.ParquetFooter(t.disk, info.Size()); err != nil {
		return err
	}
	t.file, err = parquet.OpenFile(t.disk, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	return err
}

// recovered makes an error of a panic: the library panics on some damaged files.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("it is damaged: %v", p)
	}
}

// Rows are the rows, each an object of the columns that want names. Of the others nothing is read.
func (t *table) Rows(want func(column string) bool) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		var nodes []*node
		for _, column := range t.file.Root().Columns() {
			if want(column.Name()) {
				nodes = append(nodes, newNode(column))
			}
		}
		for _, group := range t.file.RowGroups() {
			if !rowsOf(group, nodes, yield) {
				return
			}
		}
	}
}

// mostObject is how many bytes a row may have.
const mostObject = 64 << 20

// rowsOf yields the rows of a group; false: yield wants no more.
func rowsOf(group parquet.RowGroup, nodes []*node, yield func(json.RawMessage, error) bool) bool {
	leaves := &cursors{chunks: group.ColumnChunks(), all: map[int]*cursor{}}
	defer leaves.close()
	var object []byte
	for range group.NumRows() {
		var err error
		if object, err = leaves.object(object[:0], nodes); err == nil && len(object) > mostObject {
			err = fmt.Errorf("it has more than %d MiB, the most that a row may have", mostObject>>20)
		}
		if err != nil {
			yield(nil, err)
			return false
		}
		if !yield(object, nil) {
			return false
		}
	}
	return true
}

// node is a column, or a part of one. Columns are put together from their leaves by the levels of Dremel (Melnik et al.
// 2010), as the format says.
type node struct {
	name       string
	optional   bool
	repeated   bool
	repetition int   // level of a further element
	definition int   // level from which on there is a value
	leaves     []int // all below, the first tells of null and of the end of a list
	children   []*node
	list       *node // the element of a list
	kind       parquet.Kind
	unsigned   bool
	perMS      float64 // of a time: ticks in a millisecond
}

func newNode(c *parquet.Column) *node {
	n := &node{name: c.Name(), optional: c.Optional(), repeated: c.Repeated(), repetition: c.MaxRepetitionLevel(),
		definition: c.MaxDefinitionLevel()}
	if c.Leaf() {
		n.leaves = []int{c.Index()}
		n.leaf(c.Type())
		return n
	}
	for _, child := range c.Columns() {
		part := newNode(child)
		n.children, n.leaves = append(n.children, part), append(n.leaves, part.leaves...)
	}
	if len(n.children) == 1 && n.children[0].repeated && !n.repeated && isList(c) {
		n.list = n.children[0]
		if inner := n.list.children; len(inner) == 1 && n.list.name != "array" && n.list.name != n.name+"_tuple" {
			inner[0].name = ""
			n.list.list = inner[0]
		}
	}
	return n
}

// isList tells whether a group is a list: by its type, or by the usual names.
func isList(c *parquet.Column) bool {
	if t := c.Type().LogicalType(); t != nil {
		if _, ok := t.Value.(*format.ListType); ok {
			return true
		}
	}
	switch c.Columns()[0].Name() {
	case "list", "array", "bag":
		return true
	}
	return false
}

func (n *node) leaf(t parquet.Type) {
	n.kind = t.Kind()
	logical := t.LogicalType()
	if logical == nil {
		return
	}
	switch l := logical.Value.(type) {
	case *format.IntType:
		n.unsigned = !l.IsSigned
	case *format.TimestampType:
		switch l.Unit.Value.(type) {
		case *format.MilliSeconds:
			n.perMS = 1
		case *format.MicroSeconds:
			n.perMS = 1e3
		default:
			n.perMS = 1e6
		}
	}
}

// cursors are the places in all columns of a group of rows.
type cursors struct {
	chunks []parquet.ColumnChunk
	all    map[int]*cursor
}

func (c *cursors) close() {
	for _, one := range c.all {
		one.close()
	}
}

func (c *cursors) at(leaf int) *cursor {
	one := c.all[leaf]
	if one == nil {
		one = &cursor{pages: c.chunks[leaf].Pages()}
		c.all[leaf] = one
	}
	return one
}

// object appends the next row.
func (c *cursors) object(dst []byte, nodes []*node) (_ []byte, err error) {
	defer recovered(&err)
	return c.members(dst, nodes)
}

func (c *cursors) members(dst []byte, nodes []*node) ([]byte, error) {
	dst = append(dst, '{')
	for i, n := range nodes {
		if i > 0 {
			dst = append(dst, ',')
		}
		name, err := json.Marshal(n.name)
		if err != nil {
			return nil, err
		}
		if dst, err = c.node(append(append(dst, name...), ':'), n); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// node appends the value of a node: null, a list, or what it holds.
func (c *cursors) node(dst []byte, n *node) ([]byte, error) {
	guide, err := c.at(n.leaves[0]).peek()
	if err != nil {
		return nil, err
	}
	switch there := guide.DefinitionLevel() >= n.definition; {
	case !there && n.repeated:
		return append(dst, "[]"...), c.drop(n)
	case !there && n.optional:
		return append(dst, "null"...), c.drop(n)
	case n.repeated:
		return c.repeated(dst, n)
	case n.list != nil:
		return c.node(dst, n.list)
	}
	return c.value(dst, n)
}

func (c *cursors) repeated(dst []byte, n *node) ([]byte, error) {
	dst = append(dst, '[')
	for {
		var err error
		if n.list != nil {
			dst, err = c.node(dst, n.list)
		} else {
			dst, err = c.value(dst, n)
		}
		if err != nil {
			return nil, err
		}
		next, err := c.at(n.leaves[0]).peek()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err != nil || next.RepetitionLevel() < n.repetition {
			return append(dst, ']'), nil
		}
		if dst = append(dst, ','); len(dst) > mostObject {
			return nil, fmt.Errorf("it has more than %d MiB, the most that a row may have", mostObject>>20)
		}
	}
}

// drop takes the null of a node from all its leaves.
func (c *cursors) drop(n *node) error {
	for _, leaf := range n.leaves {
		one := c.at(leaf)
		if _, err := one.peek(); err != nil {
			return err
		}
		one.next++
	}
	return nil
}

func (c *cursors) value(dst []byte, n *node) ([]byte, error) {
	if n.children != nil {
		return c.members(dst, n.children)
	}
	one := c.at(n.leaves[0])
	v, err := one.peek()
	if err != nil {
		return nil, err
	}
	one.next++
	return n.append(dst, v)
}

// append writes a leaf's value. Bytes that are no text are written in base64.
func (n *node) append(dst []byte, v parquet.Value) ([]byte, error) {
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(dst, v.Boolean()), nil
	case parquet.Int32:
		if n.unsigned {
			return strconv.AppendUint(dst, uint64(v.Uint32()), 10), nil
		}
		return strconv.AppendInt(dst, int64(v.Int32()), 10), nil
	case parquet.Int64:
		switch {
		case n.perMS > 0:
			return appendFloat(dst, float64(v.Int64())/n.perMS), nil
		case n.unsigned:
			return strconv.AppendUint(dst, v.Uint64(), 10), nil
		}
		return strconv.AppendInt(dst, v.Int64(), 10), nil
	case parquet.Float:
		return appendFloat(dst, float64(v.Float())), nil
	case parquet.Double:
		return appendFloat(dst, v.Double()), nil
	case parquet.ByteArray, parquet.FixedLenByteArray:
		b := v.ByteArray()
		if !utf8.Valid(b) {
			return append(base64.StdEncoding.AppendEncode(append(dst, '"'), b), '"'), nil
		}
		text, err := json.Marshal(string(b))
		return append(dst, text...), err
	}
	text, err := json.Marshal(v.String())
	return append(dst, text...), err
}

// appendFloat writes a number; JSON has none that is not finite.
func appendFloat(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// cursor is a place in a column.
type cursor struct {
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader
	buffer []parquet.Value
	next   int
}

func (c *cursor) close() {
	if c.page != nil {
		parquet.Release(c.page)
	}
	_ = c.pages.Close()
}

// peek is the next value; io.EOF: there is none.
func (c *cursor) peek() (parquet.Value, error) {
	for c.next == len(c.buffer) {
		if err := c.fill(); err != nil {
			return parquet.Value{}, err
		}
	}
	return c.buffer[c.next], nil
}

// fill reads further values, of the page or of the next one.
func (c *cursor) fill() error {
	if c.values == nil {
		page, err := c.pages.ReadPage()
		if err != nil {
			return err
		}
		c.page, c.values = page, page.Values()
	}
	const some = 256
	c.buffer, c.next = append(c.buffer[:0], make([]parquet.Value, some)...), 0
	n, err := c.values.ReadValues(c.buffer)
	for i := range n {
		c.buffer[i] = c.buffer[i].Clone() // a page's memory is used again
	}
	c.buffer = c.buffer[:n]
	if errors.Is(err, io.EOF) {
		parquet.Release(c.page)
		c.page, c.values, err = nil, nil, nil
	} else if err == nil && n == 0 {
		err = io.ErrNoProgress
	}
	return err
}
