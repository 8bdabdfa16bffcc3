package suite

import (
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
)

// yamlNode is a value of a suite file with its position. Scalars keep their text, so that flags get it unchanged: 1.10
// stays 1.10.
type yamlNode struct {
	line, column int
	scalar       bool
	text         string     // of a scalar
	items        []yamlNode // of a list
	pairs        []nodePair // of a mapping; nil for other nodes
	mapping      bool
}

// nodePair is an entry of a mapping.
type nodePair struct {
	key   string
	value yamlNode
}

// nodeError returns an error with the node's position.
func (n yamlNode) nodeError(format string, args ...any) error {
	return fmt.Errorf("line %d, column %d: %w", n.line, n.column, fmt.Errorf(format, args...))
}

// kindText returns the kind of the node.
func (n yamlNode) kindText() string {
	switch {
	case n.mapping:
		return "a mapping"
	case n.scalar:
		return fmt.Sprintf("%q", n.text)
	}
	return "a list"
}

// The limits of a file: the number of nodes with aliases expanded, and the nesting of lists, for which the library's
// time is quadratic.
const (
	maxNodes = 100_000
	maxDepth = 100
)

// parseYAML reads a YAML text with one document. faults contains the errors of single values, which root contains as
// placeholders. If err is not nil, there is no document.
func parseYAML(text []byte) (root yamlNode, faults []error, err error) {
	if err := formats.CheckYAML(text, maxDepth, maxNodes); err != nil {
		return yamlNode{}, nil, err
	}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return yamlNode{}, nil, fmt.Errorf("no YAML: %s", yaml.FormatError(err, false, false))
	}
	if len(file.Docs) != 1 || file.Docs[0].Body == nil {
		return yamlNode{}, nil, fmt.Errorf("%d documents with something in them, want one", countDocuments(file))
	}
	r := nodeReader{anchors: map[string]ast.Node{}, open: map[string]bool{}}
	root, err = r.readNode(file.Docs[0].Body)
	return root, r.faults, err
}

func countDocuments(f *ast.File) (n int) {
	for _, d := range f.Docs {
		if d.Body != nil {
			n++
		}
	}
	return n
}

// nodeReader converts the library's nodes and expands aliases.
type nodeReader struct {
	anchors map[string]ast.Node
	open    map[string]bool // anchors on the path to the current node
	faults  []error         // errors of single values, which have a placeholder
}

// recordFault records a fault and returns the placeholder of the value.
func (r *nodeReader) recordFault(n yamlNode, format string, args ...any) (yamlNode, error) {
	r.faults = append(r.faults, n.nodeError(format, args...))
	n.scalar, n.text = true, "null"
	return n, nil
}

func (r *nodeReader) readNode(from ast.Node) (yamlNode, error) {
	n := nodePlace(from)
	switch from := from.(type) {
	case *ast.AnchorNode:
		return r.readAnchor(from)
	case *ast.AliasNode:
		return r.readAlias(from)
	case *ast.MappingNode:
		return r.readMapping(n, from.Values)
	case *ast.MappingValueNode:
		return r.readMapping(n, []*ast.MappingValueNode{from})
	case *ast.SequenceNode:
		return r.readList(n, from)
	case *ast.LiteralNode:
		n.scalar, n.text = true, from.Value.Value
		return n, nil
	case *ast.NullNode:
		if from.GetToken().Value == "" || from.GetToken().Origin == "" {
			return r.recordFault(n, "nothing is there: want a value")
		}
		return r.recordFault(n,
			`%s is nothing in YAML: want a value, and of the model called null its name in quotes: "null"`,
			from.GetToken().Value)
	case *ast.TagNode, *ast.MergeKeyNode:
		return r.recordFault(n, "tags and merge keys are not read: write the value out, or place it under defaults")
	case ast.ScalarNode:
		n.scalar, n.text = true, from.GetToken().Value
		return n, nil
	}
	return r.recordFault(n, "%v is not read", from.Type())
}

func nodePlace(from ast.Node) yamlNode {
	if t := from.GetToken(); t != nil && t.Position != nil {
		return yamlNode{line: t.Position.Line, column: t.Position.Column}
	}
	return yamlNode{}
}

func (r *nodeReader) readAnchor(from *ast.AnchorNode) (yamlNode, error) {
	name := from.Name.GetToken().Value
	r.anchors[name] = from.Value
	r.open[name] = true
	defer delete(r.open, name)
	return r.readNode(from.Value)
}

func (r *nodeReader) readAlias(from *ast.AliasNode) (yamlNode, error) {
	n, name := nodePlace(from), from.Value.GetToken().Value
	value, known := r.anchors[name]
	switch {
	case !known:
		return n, n.nodeError("*%s: no value before it is marked &%s", name, name)
	case r.open[name]:
		return n, n.nodeError("*%s is part of what it stands for", name)
	}
	r.open[name] = true
	defer delete(r.open, name)
	return r.readNode(value)
}

func (r *nodeReader) readMapping(n yamlNode, values []*ast.MappingValueNode) (yamlNode, error) {
	n.mapping = true
	seen := map[string]bool{}
	for _, v := range values {
		key, err := r.readNode(v.Key)
		if err != nil {
			return n, err
		}
		if !key.scalar || seen[key.text] {
			r.faults = append(r.faults, key.nodeError("%s: want each key once, a word", key.kindText()))
			continue
		}
		seen[key.text] = true
		value, err := r.readNode(v.Value)
		if err != nil {
			return n, fmt.Errorf("%s: %w", key.text, err)
		}
		n.pairs = append(n.pairs, nodePair{key.text, value})
	}
	return n, nil
}

func (r *nodeReader) readList(n yamlNode, from *ast.SequenceNode) (yamlNode, error) {
	for _, v := range from.Values {
		item, err := r.readNode(v)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
	}
	return n, nil
}
