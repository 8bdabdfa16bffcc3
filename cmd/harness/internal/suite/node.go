package suite

import (
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
)

// node is a value of a suite file with its place. Scalars keep the text that they are written with, so that a flag gets
// just that: 1.10 stays 1.10.
type node struct {
	line, column int
	scalar       bool
	text         string // of a scalar
	items        []node // of a list
	pairs        []pair // of a mapping; nil where it is none
	mapping      bool
}

// pair is an entry of a mapping.
type pair struct {
	key   string
	value node
}

// fault is an error at the node's place.
func (n node) fault(format string, args ...any) error {
	return fmt.Errorf("line %d, column %d: %w", n.line, n.column, fmt.Errorf(format, args...))
}

// kind says what the node is.
func (n node) kind() string {
	switch {
	case n.mapping:
		return "a mapping"
	case n.scalar:
		return fmt.Sprintf("%q", n.text)
	}
	return "a list"
}

// The bounds of a file: of what aliases unfold to, and of lists in lists, for which the library's time grows with the
// square.
const (
	mostNodes = 100_000
	mostDepth = 100
)

// parse reads the one document of a YAML text. faults are those of values, in whose place others stand; with err there
// is no document.
func parse(text []byte) (root node, faults []error, err error) {
	if err := formats.CheckYAML(text, mostDepth, mostNodes); err != nil {
		return node{}, nil, err
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return node{}, nil, fmt.Errorf("no YAML: %s", yaml.FormatError(err, false, false))
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return node{}, nil, fmt.Errorf("%d documents with something in them, want one", documents(file))
	}
	r := reader{anchors: map[string]ast.Node{}, open: map[string]bool{}}
	root, err = r.read(file.Docs[0].Body)
	return root, r.faults, err
}

func documents(f *ast.File) (n int) {
	for _, d := range f.Docs {
		if d.Body != nil {
			n++
		}
	}
	return n
}

// reader turns the nodes of the library into ours, aliases unfolded.
type reader struct {
	anchors map[string]ast.Node
	open    map[string]bool // anchors that are being read
	faults  []error         // of values that are not read; a word stands in their place
}

// refused notes a fault, and is what stands in the place of the value.
func (r *reader) refused(n node, format string, args ...any) (node, error) {
	r.faults = append(r.faults, n.fault(format, args...))
	n.scalar, n.text = true, "null"
	return n, nil
}

func (r *reader) read(from ast.Node) (node, error) {
	n := place(from)
	switch from := from.(type) {
	case *ast.AnchorNode:
		return r.anchor(from)
	case *ast.AliasNode:
		return r.alias(from)
	case *ast.MappingNode:
		return r.mapping(n, from.Values)
	case *ast.MappingValueNode:
		return r.mapping(n, []*ast.MappingValueNode{from})
	case *ast.SequenceNode:
		return r.list(n, from)
	case *ast.LiteralNode:
		n.scalar, n.text = true, from.Value.Value
		return n, nil
	case *ast.NullNode:
		if from.GetToken().Value == "" || from.GetToken().Origin == "" {
			return r.refused(n, "nothing is there: want a value")
		}
		return r.refused(n, `%s is nothing in YAML: want a value, and of the model called null its name in quotes: "null"`,
			from.GetToken().Value)
	case *ast.TagNode, *ast.MergeKeyNode:
		return r.refused(n, "tags and merge keys are not read: write the value out, or place it under defaults")
	case ast.ScalarNode:
		n.scalar, n.text = true, from.GetToken().Value
		return n, nil
	}
	return r.refused(n, "%v is not read", from.Type())
}

func place(from ast.Node) node {
	if t := from.GetToken(); t != nil && t.Position != nil {
		return node{line: t.Position.Line, column: t.Position.Column}
	}
	return node{}
}

func (r *reader) anchor(from *ast.AnchorNode) (node, error) {
	name := from.Name.GetToken().Value
	r.anchors[name] = from.Value
	r.open[name] = true
	defer delete(r.open, name)
	return r.read(from.Value)
}

func (r *reader) alias(from *ast.AliasNode) (node, error) {
	n, name := place(from), from.Value.GetToken().Value
	value, known := r.anchors[name]
	switch {
	case !known:
		return n, n.fault("*%s: no value before it is marked &%s", name, name)
	case r.open[name]:
		return n, n.fault("*%s is part of what it stands for", name)
	}
	r.open[name] = true
	defer delete(r.open, name)
	return r.read(value)
}

func (r *reader) mapping(n node, values []*ast.MappingValueNode) (node, error) {
	n.mapping = true
	seen := map[string]bool{}
	for _, v := range values {
		key, err := r.read(v.Key)
		if err != nil {
			return n, err
		}
		if !key.scalar || seen[key.text] {
			r.faults = append(r.faults, key.fault("%s: want each key once, a word", key.kind()))
			continue
		}
		seen[key.text] = true
		value, err := r.read(v.Value)
		if err != nil {
			return n, fmt.Errorf("%s: %w", key.text, err)
		}
		n.pairs = append(n.pairs, pair{key.text, value})
	}
	return n, nil
}

func (r *reader) list(n node, from *ast.SequenceNode) (node, error) {
	for _, v := range from.Values {
		item, err := r.read(v)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
	}
	return n, nil
}
