package parquetfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// MaxRow limits the bytes of a row of [ParquetFile.RowObjects] as JSON.
const MaxRow = 64 << 20

// RowObjects returns an iterator over the rows. Each row is a JSON object with the columns for which want returns true,
// and is valid until the next one. The first error ends the iteration. Other columns are not read. [Column.AppendJSON]
// describes the form of values. A structure is an object, a list an array, and a map the structure that represents it
// in the file.
func (f *ParquetFile) RowObjects(want func(column string) bool) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		var nodes []*columnNode
		for _, column := range f.Columns() {
			if want(column.Name) {
				nodes = append(nodes, newColumnNode(column))
			}
		}
		for group := range f.RowGroups() {
			if !f.yieldObjects(group, nodes, yield) {
				return
			}
		}
	}
}

// yieldObjects yields the rows of a group. It returns false if yield does.
func (f *ParquetFile) yieldObjects(group int, nodes []*columnNode, yield func(json.RawMessage, error) bool) bool {
	leaves := &groupReaders{file: f, group: group, readers: map[int]*ColumnReader{}}
	defer leaves.close()
	var object []byte
	for range f.GroupRows(group) {
		var err error
		if object, err = leaves.appendMembers(object[:0], nodes); err == nil {
			err = checkRow(object)
		}
		if err != nil {
			yield(nil, noEOF(err))
			return false
		}
		if !yield(object, nil) {
			return false
		}
	}
	return true
}

// checkRow returns an error if a row exceeds MaxRow.
func checkRow(object []byte) error {
	if len(object) > MaxRow {
		return fmt.Errorf("it has more than %d MiB, the most that a row may have", MaxRow>>20)
	}
	return nil
}

// columnNode is a column or a part of one. Its values are assembled from those of its leaves by the levels of Dremel
// (Melnik et al. 2010), as the format specifies.
type columnNode struct {
	*Column
	leaves   []*Column // all leaves below the node; the levels of the first show nulls and the ends of lists
	children []*columnNode
	list     *columnNode // element of a list
}

func newColumnNode(c *Column) *columnNode {
	n := &columnNode{Column: c}
	if c.IsLeaf() {
		n.leaves = []*Column{c}
		return n
	}
	for _, child := range c.Columns {
		part := newColumnNode(child)
		n.children, n.leaves = append(n.children, part), append(n.leaves, part.leaves...)
	}
	if c.isList() && !n.Repeated {
		n.list = n.children[0]
		if inner := n.list.children; len(inner) == 1 && n.list.Name != "array" && n.list.Name != n.Name+"_tuple" {
			n.list.list = inner[0]
		}
	}
	return n
}

// isList reports whether a structure represents a list, by its logical meaning or by its field names.
func (c *Column) isList() bool {
	if len(c.Columns) != 1 || !c.Columns[0].Repeated {
		return false
	}
	switch c.Columns[0].Name {
	case "list", "array", "bag":
		return true
	}
	return c.Meaning == List
}

// groupReaders contains the column readers of a row group, opened when they are first used.
type groupReaders struct {
	file    *ParquetFile
	group   int
	readers map[int]*ColumnReader // by the index of the leaf
}

func (c *groupReaders) close() {
	for _, one := range c.readers {
		_ = one.Close() // closing a reader loses no data
	}
}

func (c *groupReaders) openReader(leaf *Column) (*ColumnReader, error) {
	one := c.readers[leaf.Index]
	if one == nil {
		var err error
		if one, err = c.file.OpenColumn(c.group, leaf); err != nil {
			return nil, fmt.Errorf("column %s: %w", leaf.Name, err)
		}
		c.readers[leaf.Index] = one
	}
	return one, nil
}

// peekValue returns the next value of a leaf without taking it.
func (c *groupReaders) peekValue(leaf *Column) (*LeafValue, error) {
	one, err := c.openReader(leaf)
	if err != nil {
		return nil, err
	}
	return one.Peek()
}

// nextValue takes the next value of a leaf.
func (c *groupReaders) nextValue(leaf *Column) (*LeafValue, error) {
	one, err := c.openReader(leaf)
	if err != nil {
		return nil, err
	}
	return one.Next()
}

func (c *groupReaders) appendMembers(dst []byte, nodes []*columnNode) ([]byte, error) {
	dst = append(dst, '{')
	for i, n := range nodes {
		if i > 0 {
			dst = append(dst, ',')
		}
		name, err := json.Marshal(n.Name)
		if err != nil {
			return nil, err
		}
		if dst, err = c.appendNode(append(append(dst, name...), ':'), n); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// appendNode appends the value of a node: null, a list, a structure or the value of a leaf.
func (c *groupReaders) appendNode(dst []byte, n *columnNode) ([]byte, error) {
	if len(n.leaves) == 0 {
		return append(dst, "{}"...), nil
	}
	guide, err := c.peekValue(n.leaves[0])
	if err != nil {
		return nil, err
	}
	switch there := guide.Definition >= n.Definition; {
	case !there && n.Repeated:
		return append(dst, "[]"...), c.dropNull(n)
	case !there && n.Optional:
		return append(dst, "null"...), c.dropNull(n)
	case n.Repeated:
		return c.appendList(dst, n)
	case n.list != nil:
		return c.appendNode(dst, n.list)
	}
	return c.appendValue(dst, n)
}

func (c *groupReaders) appendList(dst []byte, n *columnNode) ([]byte, error) {
	dst = append(dst, '[')
	for {
		var err error
		if n.list != nil {
			dst, err = c.appendNode(dst, n.list)
		} else {
			dst, err = c.appendValue(dst, n)
		}
		if err != nil {
			return nil, err
		}
		next, err := c.peekValue(n.leaves[0])
		if err != nil && (!errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)) {
			return nil, err
		}
		if err != nil || next.Repetition < n.Repetition {
			return append(dst, ']'), nil
		}
		dst = append(dst, ',')
		if err := checkRow(dst); err != nil {
			return nil, err
		}
	}
}

// dropNull takes the null of a node from all of its leaves.
func (c *groupReaders) dropNull(n *columnNode) error {
	for _, leaf := range n.leaves {
		if _, err := c.nextValue(leaf); err != nil {
			return err
		}
	}
	return nil
}

func (c *groupReaders) appendValue(dst []byte, n *columnNode) ([]byte, error) {
	if n.children != nil {
		return c.appendMembers(dst, n.children)
	}
	v, err := c.nextValue(n.Column)
	if err != nil {
		return nil, fmt.Errorf("column %s: %w", n.Name, err)
	}
	if v.Null { // a leaf has a value if its node is defined
		return nil, damagedErrorf("column %s: a null where none may be", n.Name)
	}
	return n.AppendJSON(dst, v)
}
