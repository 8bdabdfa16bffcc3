// Package yaml11 reads YAML 1.1 documents like PyYAML, the library of the official checkers. For example, 1:30 is 90,
// 0777 is 511, yes is true, 1e3 is not a number, and the last of several equal keys counts.
//
// In scope: one document, within limits. Out of scope: its meaning.
package yaml11

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// Errors of Decode.
var (
	ErrEmpty = errors.New("the file is empty")
	ErrYAML  = errors.New("the file is no YAML")
)

// Limits on the expansion of small files.
const (
	MaxAliases = 16
	maxDepth   = 100
)

// Mapping is a YAML mapping. Each key has its last value, at the position of its first occurrence. Keys and values are
// nil, bool, *big.Int, float64, string or time.Time. Values can also be []any or Mapping.
type Mapping []Item

// Item is a key and its value.
type Item struct{ Key, Value any }

// Decode reads a text of up to maxBytes with a single document. It rejects tags other than !!str, !!int and !!float.
// Errors wrap ErrYAML, or are ErrEmpty.
func Decode(text []byte, maxBytes int) (any, error) {
	if err := checkReadable(text, maxBytes); err != nil {
		return nil, err
	}
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrYAML, yaml.FormatError(err, false, false))
	}
	var bodies []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil && d.Body.Type() != ast.CommentType && d.Body.Type() != ast.DirectiveType {
			bodies = append(bodies, d.Body)
		}
	}
	switch {
	case len(bodies) == 0 && !isBlank(text):
		return nil, fmt.Errorf("%w: it has no value", ErrYAML)
	case len(bodies) == 0:
		return nil, ErrEmpty
	case len(bodies) > 1:
		return nil, fmt.Errorf("%w: it has more than one document", ErrYAML)
	}
	r := nodeReader{anchors: map[string]any{}}
	v, err := r.readNode(bodies[0])
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrYAML, err)
	case v == nil:
		return nil, ErrEmpty
	}
	return v, nil
}

// isBlank reports whether a text contains only blanks, comments and document markers.
func isBlank(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.Trim(line, " \r\n")
		if len(line) > 0 && line[0] != '#' && line[0] != '%' && !bytes.HasPrefix(line, []byte("---")) &&
			!bytes.HasPrefix(line, []byte("...")) {
			return false
		}
	}
	return true
}

// checkReadable limits the expansion of a text and rejects characters that YAML does not permit.
func checkReadable(text []byte, maxBytes int) error {
	if len(text) > maxBytes {
		return fmt.Errorf("%w: it has %d bytes, want at most %d", ErrYAML, len(text), maxBytes)
	}
	if at := bytes.IndexFunc(text, isUnprintable); at >= 0 {
		return fmt.Errorf("%w: byte %d is no character of a text", ErrYAML, at)
	}
	if err := bounded.CheckNesting(text, maxDepth); err != nil {
		return fmt.Errorf("%w: %w", ErrYAML, err)
	}
	return nil
}

func isUnprintable(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == 0x85:
		return false
	case r >= ' ' && r <= '~', r >= 0xa0 && r < 0xfffe, r >= 0x10000:
		return false
	}
	return true
}

// nodeReader converts the library's nodes to values.
type nodeReader struct {
	anchors map[string]any
	aliases int
}

func (r *nodeReader) readNode(n ast.Node) (any, error) {
	switch n := n.(type) {
	case nil, *ast.NullNode:
		return nil, nil
	case *ast.AnchorNode:
		v, err := r.readNode(n.Value)
		r.anchors[n.Name.GetToken().Value] = v
		return v, err
	case *ast.AliasNode:
		return r.readAlias(n.Value.GetToken().Value)
	case *ast.MappingNode:
		return r.readMapping(n.Values)
	case *ast.MappingValueNode:
		return r.readMapping([]*ast.MappingValueNode{n})
	case *ast.SequenceNode:
		return r.readList(n.Values)
	case *ast.TagNode:
		return readTagged(n)
	case *ast.LiteralNode:
		if head := n.Start.Value; !blockHeader.MatchString(head) {
			return nil, fmt.Errorf("%s begins no text", head)
		}
		return n.Value.Value, nil
	case *ast.StringNode:
		if text := strings.TrimSpace(n.GetToken().Origin); text != "" && strings.ContainsRune(`"'`, rune(text[0])) {
			return n.Value, nil
		}
		return plainValue(n.Value)
	case ast.ScalarNode:
		return plainValue(n.GetToken().Value)
	}
	return nil, fmt.Errorf("%v is not read", n.Type())
}

// readAlias returns the value of an earlier anchor.
func (r *nodeReader) readAlias(name string) (any, error) {
	v, known := r.anchors[name]
	if r.aliases++; !known || r.aliases > MaxAliases {
		return nil, fmt.Errorf("*%s: want at most %d aliases, each of a value before it", name, MaxAliases)
	}
	return v, nil
}

func (r *nodeReader) readList(nodes []ast.Node) (any, error) {
	list := make([]any, len(nodes))
	var faults []error
	for i, n := range nodes {
		v, err := r.readNode(n)
		list[i], faults = v, append(faults, err)
	}
	return list, errors.Join(faults...)
}

func (r *nodeReader) readMapping(pairs []*ast.MappingValueNode) (any, error) {
	var merged, own Mapping
	for _, p := range pairs {
		if p.Key.IsMergeKey() {
			v, err := r.readNode(p.Value)
			if err != nil {
				return nil, err
			}
			more, err := mergedEntries(v)
			if err != nil {
				return nil, err
			}
			merged = append(merged, more...)
			continue
		}
		key, err := r.readKey(p.Key)
		if err != nil {
			return nil, err
		}
		v, err := r.readNode(p.Value)
		if err != nil {
			return nil, err
		}
		own = own.setKey(key, v)
	}
	all := Mapping{}
	for _, i := range append(merged, own...) {
		all = all.setKey(i.Key, i.Value)
	}
	return all, nil
}

// mergedEntries returns the entries of a merge key <<, from one mapping or several. For equal keys, the first mapping
// counts.
func mergedEntries(v any) (all Mapping, err error) {
	switch v := v.(type) {
	case Mapping:
		return v, nil
	case []any:
		for _, m := range v {
			one, ok := m.(Mapping)
			if !ok {
				return nil, errors.New("found another value than mappings behind <<")
			}
			all = append(append(Mapping{}, one...), all...)
		}
		return all, nil
	}
	return nil, errors.New("found another value than a mapping behind <<")
}

func (r *nodeReader) readKey(n ast.MapKeyNode) (any, error) {
	var inner ast.Node = n
	if explicit, ok := n.(*ast.MappingKeyNode); ok {
		inner = explicit.Value
	}
	key, err := r.readNode(inner)
	switch key.(type) {
	case []any, Mapping:
		return nil, errors.New("a key is a list or a mapping")
	}
	return key, err
}

// setKey sets a key. Integer keys are equal if their numbers are equal.
func (m Mapping) setKey(key, value any) Mapping {
	for i := range m {
		if equalKeys(m[i].Key, key) {
			m[i].Value = value
			return m
		}
	}
	return append(m, Item{key, value})
}

func equalKeys(a, b any) bool {
	n, ok := a.(*big.Int)
	o, ok2 := b.(*big.Int)
	if ok && ok2 {
		return n.Cmp(o) == 0
	}
	return a == b
}

func readTagged(n *ast.TagNode) (any, error) {
	scalar, ok := n.Value.(ast.ScalarNode)
	if !ok {
		return nil, fmt.Errorf("the tag %s is not read", n.Start.Value)
	}
	text := scalar.GetToken().Value
	switch n.Start.Value {
	case "!!str":
		return text, nil
	case "!!int":
		if v, ok := parseInteger(text); ok {
			return v, nil
		}
	case "!!float":
		if v, ok := parseInteger(text); ok {
			f, _ := new(big.Float).SetInt(v).Float64()
			return f, nil
		}
		if v, ok := parseFloat(text); ok {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%s %s is not read", n.Start.Value, text)
}

// blockHeader matches the beginning of a text of several lines.
var blockHeader = regexp.MustCompile(`^[|>]([1-9][-+]?|[-+][1-9]?)?$`)

// indicators contains the characters with which an unquoted text cannot begin.
const indicators = ",[]{}#&*!|>'\"%@`"

// The boolean and null words of YAML 1.1 in their three cases.
var (
	trueWords  = regexp.MustCompile(`^(yes|Yes|YES|true|True|TRUE|on|On|ON)$`)
	falseWords = regexp.MustCompile(`^(no|No|NO|false|False|FALSE|off|Off|OFF)$`)
	nullWords  = regexp.MustCompile(`^(~|null|Null|NULL|)$`)
)

// plainValue returns the value of an unquoted text.
func plainValue(text string) (any, error) {
	switch {
	case nullWords.MatchString(text):
		return nil, nil
	case trueWords.MatchString(text):
		return true, nil
	case falseWords.MatchString(text):
		return false, nil
	case text == "=" || text == "<<" || text != "" && strings.ContainsRune(indicators, rune(text[0])):
		return nil, fmt.Errorf("%s stands for no value", text)
	}
	if v, ok := parseInteger(text); ok {
		return v, nil
	}
	if v, ok := parseFloat(text); ok {
		return v, nil
	}
	if m := dateForm.FindStringSubmatch(text); m != nil {
		return parseDate(m)
	}
	return text, nil
}

var integerForm = regexp.MustCompile(`^[-+]?(0b[0-1_]+|0[0-7_]+|0|0x[0-9a-fA-F_]+|` +
	`[1-9][0-9_]*|[1-9][0-9_]*(:[0-5]?[0-9])+)$`)

func parseInteger(text string) (*big.Int, bool) {
	if !integerForm.MatchString(text) {
		return nil, false
	}
	digits := strings.ReplaceAll(strings.TrimLeft(text, "+-"), "_", "")
	base := 10
	switch {
	case strings.HasPrefix(digits, "0b"), strings.HasPrefix(digits, "0x"):
		base = map[byte]int{'b': 2, 'x': 16}[digits[1]]
		digits = digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base = 8
	}
	v := new(big.Int)
	for part := range strings.SplitSeq(digits, ":") {
		n, ok := new(big.Int).SetString(part, base)
		if !ok {
			return nil, false
		}
		v.Add(v.Mul(v, big.NewInt(60)), n)
	}
	if text[0] == '-' {
		v.Neg(v)
	}
	return v, true
}

var floatForm = regexp.MustCompile(`^([-+]?([0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9][0-9_]*([eE][-+][0-9]+)?|` +
	`[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*|\.(inf|Inf|INF))|\.(nan|NaN|NAN))$`)

func parseFloat(text string) (float64, bool) {
	if !floatForm.MatchString(text) {
		return 0, false
	}
	sign, digits := 1.0, strings.ToLower(strings.ReplaceAll(strings.TrimLeft(text, "+-"), "_", ""))
	if text[0] == '-' {
		sign = -1
	}
	switch digits {
	case ".inf":
		return math.Inf(int(sign)), true
	case ".nan":
		return math.NaN(), true
	}
	v := 0.0
	for part := range strings.SplitSeq(digits, ":") {
		f, err := strconv.ParseFloat(part, 64)
		if err != nil && !math.IsInf(f, 0) {
			return 0, false
		}
		v = v*60 + f
	}
	return sign * v, true
}

// dateForm matches the texts of dates and times: year, month and day, and optionally hour, minute and second.
var dateForm = regexp.MustCompile(
	`^(?:(\d{4})-(\d\d)-(\d\d)|(\d{4})-(\d\d?)-(\d\d?)(?:[Tt]|[ \t]+)(\d\d?):(\d\d):(\d\d)` +
		`(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$`)

func parseDate(m []string) (any, error) {
	var n [6]int
	for i := range n {
		text := m[1+i]
		if m[1] == "" {
			text = m[4+i]
		}
		n[i], _ = strconv.Atoi(text)
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], 0, time.UTC)
	if n[0] == 0 || t.Month() != time.Month(n[1]) || t.Day() != n[2] || n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return nil, fmt.Errorf("%s is no moment that there is", m[0])
	}
	return t, nil
}
