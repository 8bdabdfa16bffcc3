package formats

import (
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// CheckYAML returns an error if text is not YAML, if lists and mappings are nested more than depth levels deep, if an
// alias refers to a node that contains it, or if the expansion of aliases and merge keys gives more than most values.
// Its time is linear in the length of the text.
func CheckYAML(text []byte, maxDepth, maxNodes int) error {
	if err := bounded.CheckNesting(text, maxDepth); err != nil {
		return err
	}
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return fmt.Errorf("no YAML: %s", yaml.FormatError(err, false, false))
	}
	for _, d := range file.Docs {
		c := nodeCounter{maxNodes: maxNodes, anchorSizes: map[string]int{}, openAnchors: map[string]bool{}}
		if d.Body == nil {
			continue
		}
		if c.countNode(d.Body) > maxNodes {
			return fmt.Errorf("aliases unfold to more than %d values", maxNodes)
		}
		if c.loopAnchor != "" {
			return fmt.Errorf("*%s is part of what it stands for", c.loopAnchor)
		}
	}
	return nil
}

// nodeCounter counts the values of nodes with their aliases expanded, up to most + 1.
type nodeCounter struct {
	maxNodes    int
	anchorSizes map[string]int // values of each anchored node
	openAnchors map[string]bool
	loopAnchor  string // name of an alias within its own anchor; empty: none
}

func (c *nodeCounter) countNode(n ast.Node) int {
	switch n := n.(type) {
	case *ast.AnchorNode:
		name := n.Name.GetToken().Value
		c.openAnchors[name] = true
		size := c.countNode(n.Value)
		delete(c.openAnchors, name)
		c.anchorSizes[name] = size
		return size
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		if c.openAnchors[name] {
			c.loopAnchor = name
		}
		return max(1, c.anchorSizes[name])
	case *ast.MappingNode:
		total := 1
		for _, v := range n.Values {
			total = c.addBounded(total, c.countNode(v))
		}
		return total
	case *ast.MappingValueNode:
		return c.addBounded(c.countNode(n.Key), c.countNode(n.Value))
	case *ast.SequenceNode:
		total := 1
		for _, v := range n.Values {
			total = c.addBounded(total, c.countNode(v))
		}
		return total
	case *ast.TagNode:
		return c.countNode(n.Value)
	}
	return 1
}

// addBounded returns a + b, limited to most + 1.
func (c *nodeCounter) addBounded(a, b int) int { return min(a+b, c.maxNodes+1) }
