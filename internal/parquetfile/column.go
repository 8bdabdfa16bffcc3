package parquetfile

import (
	"fmt"
	"strconv"
)

// PhysicalType is the type in which a file stores the values of a column.
type PhysicalType int32

// The physical types, with the format's numbers.
const (
	Boolean PhysicalType = iota
	Int32
	Int64
	Int96
	Float
	Double
	ByteArray
	FixedByteArray
)

var typeNames = []string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

// String returns the type's name in the format's description.
func (k PhysicalType) String() string {
	if k < 0 || int(k) >= len(typeNames) {
		return "a type of number " + strconv.Itoa(int(k))
	}
	return typeNames[k]
}

// LogicalMeaning is the meaning of the values of a column, as far as readers need it.
type LogicalMeaning int

// The logical meanings.
const (
	Plain     LogicalMeaning = iota // the meaning of the physical type itself
	Text                            // UTF-8: strings, names of enumerations, JSON
	Unsigned                        // an integer without a sign
	Decimal                         // an integer times 10 to the power of minus Scale
	Date                            // days since 1970-01-01
	TimeOfDay                       // ticks since midnight
	Timestamp                       // ticks since 1970-01-01
	Half                            // a float of two bytes
	UUID                            // 16 bytes
	Interval                        // months, days and milliseconds in 12 bytes
	List                            // a structure that represents a list
)

var meaningNames = map[LogicalMeaning]string{Text: "text", Decimal: "DECIMAL", Date: "DATE", TimeOfDay: "TIME",
	Timestamp: "TIMESTAMP", Half: "FLOAT16", UUID: "UUID", Interval: "INTERVAL"}

// Column is a column of a file or a part of a column. A structure has Columns; a leaf has values.
type Column struct {
	Name     string
	Columns  []*Column
	Index    int // position of a leaf among all leaves of the file
	Kind     PhysicalType
	Length   int // bytes of a value of a type with fixed width
	Meaning  LogicalMeaning
	Scale    int // digits after the decimal point of a Decimal
	TickToMS int // ticks per millisecond of TimeOfDay and Timestamp

	Optional, Repeated bool
	Repetition         int // repetition level at which a value continues the innermost list
	Definition         int // definition level of a value that is not null
}

// IsLeaf reports whether the column has values instead of parts.
func (c *Column) IsLeaf() bool { return c.Columns == nil }

// TypeName returns the name of the values' type, for messages.
func (c *Column) TypeName() string {
	if !c.IsLeaf() {
		return "a structure"
	}
	if name := meaningNames[c.Meaning]; name != "" {
		return name
	}
	return c.Kind.String()
}

// The numbers of the fields of the union LogicalType.
const (
	logicalString  = 1
	logicalList    = 3
	logicalEnum    = 4
	logicalDecimal = 5
	logicalDate    = 6
	logicalTime    = 7
	logicalStamp   = 8
	logicalInteger = 10
	logicalJSON    = 12
	logicalUUID    = 14
	logicalFloat16 = 15
)

var logicalMeanings = map[int]LogicalMeaning{
	logicalString: Text, logicalEnum: Text, logicalJSON: Text, logicalList: List, logicalDecimal: Decimal,
	logicalDate: Date, logicalTime: TimeOfDay, logicalStamp: Timestamp, logicalUUID: UUID, logicalFloat16: Half,
}

var convertedMeanings = map[int32]LogicalMeaning{
	0: Text, 3: List, 4: Text, 5: Decimal, 6: Date, 7: TimeOfDay, 8: TimeOfDay, 9: Timestamp, 10: Timestamp,
	11: Unsigned, 12: Unsigned, 13: Unsigned, 14: Unsigned, 19: Text, 21: Interval,
}

// ticksPerMillisecond maps a logical type's unit to its ticks per millisecond.
var ticksPerMillisecond = map[int]int{1: 1, 2: 1e3, 3: 1e6}

// setMeaning sets Meaning, Scale and TickToMS from the logical type of a schema element, or else from its older
// ConvertedType.
func (c *Column) setMeaning(e *schemaElement) {
	c.TickToMS = 1
	if e.logical.field == 0 {
		c.Meaning, c.Scale = convertedMeanings[e.converted], int(e.scale)
		if e.converted == 8 || e.converted == 10 {
			c.TickToMS = 1e3
		}
		return
	}
	c.Meaning, c.Scale = logicalMeanings[e.logical.field], int(e.logical.scale)
	if ticks := ticksPerMillisecond[e.logical.unit]; ticks > 0 {
		c.TickToMS = ticks
	}
	if e.logical.field == logicalInteger && !e.logical.signed {
		c.Meaning = Unsigned
	}
}

// schemaTree builds columns from the elements of a schema.
type schemaTree struct {
	schema []schemaElement // elements that have not been read
	leaves []*Column       // leaves read so far, in the file's order
}

// readRoot returns the root column. It contains all other columns.
func (t *schemaTree) readRoot() (*Column, error) {
	if len(t.schema) == 0 {
		return nil, damagedErrorf("it has no schema")
	}
	t.schema[0].repetition = 0
	root, err := t.readColumn(&Column{}, 0)
	if err == nil && len(t.schema) > 0 {
		err = damagedErrorf("its schema has %d columns too many", len(t.schema))
	}
	return root, err
}

// readColumn reads the next schema element and its children.
func (t *schemaTree) readColumn(parent *Column, depth int) (*Column, error) {
	if len(t.schema) == 0 || depth > maxDepth {
		return nil, damagedErrorf("its schema ends within a structure, or has more than %d within each other", maxDepth)
	}
	e := &t.schema[0]
	t.schema = t.schema[1:]
	c := &Column{Name: e.name, Optional: e.repetition == 1, Repeated: e.repetition == 2,
		Repetition: parent.Repetition, Definition: parent.Definition}
	if c.Optional || c.Repeated {
		c.Definition++
	}
	if c.Repeated {
		c.Repetition++
	}
	c.setMeaning(e)
	if e.leaf {
		return c, t.readLeaf(c, e)
	}
	c.Columns = make([]*Column, 0, min(int(max(0, e.children)), 64))
	for range e.children {
		part, err := t.readColumn(c, depth+1)
		if err != nil {
			return nil, err
		}
		c.Columns = append(c.Columns, part)
	}
	return c, nil
}

// valueWidths maps physical types of fixed width to the bytes of a value.
var valueWidths = map[PhysicalType]int{Int32: 4, Int64: 8, Int96: 12, Float: 4, Double: 8}

// readLeaf sets the physical type of a leaf and checks it.
func (t *schemaTree) readLeaf(c *Column, e *schemaElement) error {
	c.Kind, c.Index, c.Length = e.kind, len(t.leaves), valueWidths[e.kind]
	t.leaves = append(t.leaves, c)
	switch {
	case e.kind < 0 || int(e.kind) >= len(typeNames):
		return fmt.Errorf("%w: column %s is of %v", ErrForm, c.Name, e.kind)
	case e.kind == FixedByteArray && (e.length < 0 || e.length > MaxValue):
		return damagedErrorf("column %s has values of %d bytes", c.Name, e.length)
	case c.Meaning == Decimal && (c.Scale < 0 || c.Scale > maxDecimal):
		return damagedErrorf("column %s has decimals with %d digits behind the point", c.Name, c.Scale)
	case e.kind == FixedByteArray:
		c.Length = int(e.length)
	}
	return nil
}
