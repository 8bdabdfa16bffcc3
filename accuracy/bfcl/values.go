package bfcl

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// valueKind is a Python type.
type valueKind uint8

const (
	kindNone valueKind = iota
	kindText
	kindInt
	kindFloat
	kindBool
	kindList
	kindDict
	kindSet // only in descriptions: JSON has no sets
)

func kindOf(v any) valueKind {
	switch v.(type) {
	case string:
		return kindText
	case int64, *big.Int:
		return kindInt
	case float64:
		return kindFloat
	case bool:
		return kindBool
	case []any:
		return kindList
	case *pyvalue.Dict:
		return kindDict
	}
	return kindNone
}

// typeRules contains a language's names of types in descriptions and its syntax of values.
type typeRules struct {
	kinds    map[string]valueKind
	lists    []string // types whose descriptions state the type of their items
	parse    func(text, of, items string) (any, error)
	isPython bool
}

var pythonRules = typeRules{
	kinds: map[string]valueKind{
		"string": kindText, "integer": kindInt, "float": kindFloat, "boolean": kindBool, "array": kindList,
		"tuple": kindList, "dict": kindDict, "any": kindText,
	},
	lists:    []string{"array", "tuple"},
	isPython: true,
}

func (s GradingSample) typeRules() typeRules {
	switch s.Subset {
	case "simple_java":
		return javaRules
	case "simple_javascript":
		return scriptRules
	}
	return pythonRules
}

// kindByName returns the type with the given name in descriptions.
func (l typeRules) kindByName(name string) (valueKind, error) {
	k, ok := l.kinds[name]
	if !ok {
		return kindNone, fmt.Errorf("%w: a description has the type %q", ErrStops, name)
	}
	return k, nil
}

// expectedType is the required type of a value.
type expectedType struct {
	kind  valueKind
	items valueKind // of lists; kindNone: not checked
}

// itemKind returns the required type of a list's items and its name in the description; "": not checked.
func (l typeRules) itemKind(typeName string, property any) (k valueKind, items string, err error) {
	if !slices.Contains(l.lists, typeName) {
		return kindNone, "", nil
	}
	inner, err := readField[*pyvalue.Dict](property, "items")
	if err != nil {
		return kindNone, "", err
	}
	if items, err = readField[string](inner, "type"); err != nil {
		return kindNone, "", err
	}
	k, err = l.kindByName(items)
	return k, items, err
}

// compareArgument compares an argument's value with the possible values.
func (s GradingSample) compareArgument(property, value any, possible []any) error {
	l := s.typeRules()
	of, err := readField[string](property, "type")
	if err != nil {
		return err
	}
	e := expectedType{}
	if e.kind, err = l.kindByName(of); err != nil {
		return err
	}
	text, isText := value.(string)
	if !l.isPython && !isText {
		return fmt.Errorf("it is %s, want a text that holds a value of type %s", pyvalue.Name(value), of)
	}
	var items string
	if e.items, items, err = l.itemKind(of, property); err != nil {
		return err
	}
	if !l.isPython {
		if value, err = l.parse(text, of, items); err != nil {
			return err
		}
	} else if of == "float" && kindOf(value) == kindInt {
		if value, err = pyvalue.Float(value); err != nil {
			return fmt.Errorf("%w: %w", ErrStops, err)
		}
	}
	variable, err := e.checkType(value, possible)
	if err != nil {
		return err
	}
	if variable {
		return checkOneOf(value, possible)
	}
	return e.compareValue(value, possible)
}

// compareValue compares a value of the required type with the possible values.
func (e expectedType) compareValue(value any, possible []any) error {
	switch {
	case e.kind == kindDict:
		return compareDict(value, possible)
	case e.kind == kindList && e.items == kindDict:
		return compareDicts(value, possible)
	case e.kind == kindText:
		return compareText(value, possible)
	case e.kind == kindList:
		return compareList(value, possible)
	}
	return checkOneOf(value, possible)
}

// checkOneOf checks that the unnormalized value equals one of the possible values.
func checkOneOf(value any, possible []any) error {
	if !containsValue(possible, value) {
		return errWrongValue
	}
	return nil
}

// errWrongValue means that a value is not among the possible values.
var errWrongValue = errors.New("its value is not among the possible ones")

// checkType checks the type of a value. isVariable is true if the possible values have another type than the
// description states; they are then compared without normalization.
func (e expectedType) checkType(value any, possible []any) (isVariable bool, err error) {
	other := valueKind(255)
	for _, p := range possible {
		if p != any("") {
			other = kindOf(p)
			break
		}
	}
	isVariable = other != valueKind(255) && other != e.kind
	if kindOf(value) == e.kind {
		if e.items == kindNone {
			return isVariable, nil
		}
		return isVariable, e.checkItems(value, possible)
	}
	if kindOf(value) == other {
		return true, nil
	}
	return false, fmt.Errorf("it is %s, which is of another type", pyvalue.Name(value))
}

// checkItems checks that a possible value exists whose items have the types of all items of value. A possible value
// that is not a list passes.
func (e expectedType) checkItems(value any, possible []any) error {
	items, ok := value.([]any)
	if !ok {
		return nil
	}
	inner := expectedType{kind: e.items}
next:
	for _, p := range possible {
		list, ok := p.([]any)
		if !ok {
			return nil
		}
		for _, item := range items {
			if _, err := inner.checkType(item, list); err != nil {
				continue next
			}
		}
		return nil
	}
	return errors.New("its items are of another type")
}

var ignoredCharacters = strings.NewReplacer(" ", "", ",", "", ".", "", "/", "", "-", "", "_", "", "*", "", "^", "")

// normalizeValue converts a text to lower case, removes blanks and some punctuation and replaces single quotes by
// double quotes. It returns other values unchanged.
func normalizeValue(v any) any {
	if text, ok := v.(string); ok {
		return strings.ReplaceAll(pyvalue.Lower(ignoredCharacters.Replace(text)), "'", `"`)
	}
	return v
}

// normalizeValues normalizes the items of a list or the characters of a text.
func normalizeValues(v any) ([]any, error) {
	switch v := v.(type) {
	case []any:
		normalized := make([]any, len(v))
		for i, item := range v {
			normalized[i] = normalizeValue(item)
		}
		return normalized, nil
	case string:
		letters := []any{}
		for _, r := range []rune(v) {
			letters = append(letters, normalizeValue(string(r)))
		}
		return letters, nil
	case *pyvalue.Dict:
		if len(v.Keys()) > 0 {
			return nil, fmt.Errorf("%w: possible values are an object", ErrStops)
		}
	default:
		return nil, fmt.Errorf("%w: possible values are %s, no list", ErrStops, pyvalue.Name(v))
	}
	return nil, nil
}

func compareText(value any, possible []any) error {
	for _, p := range possible {
		if _, ok := p.(string); ok && normalizeValue(p) == normalizeValue(value) {
			return nil
		}
	}
	return errWrongValue
}

func compareList(value any, possible []any) error {
	got, err := normalizeValues(value)
	if err != nil {
		return err
	}
	found := false
	for _, p := range possible {
		want, err := normalizeValues(p)
		if err != nil {
			return err
		}
		found = found || pyvalue.Same(got, want)
	}
	if !found {
		return errWrongValue
	}
	return nil
}

// compareDict compares a value with each possible object in turn. If none matches, it returns the fault of the last
// one.
func compareDict(value any, possible []any) error {
	err := errors.New("nothing but leaving it out is possible")
	for _, p := range possible {
		if p == any("") {
			continue
		}
		if err = compareOneDict(value, p); err == nil || errors.Is(err, ErrStops) {
			return err
		}
	}
	return err
}

func compareOneDict(value, possible any) error {
	d, ok := value.(*pyvalue.Dict)
	if !ok {
		return fmt.Errorf("%w: an item is %s, no object", ErrStops, pyvalue.Name(value))
	}
	var first error
	for _, key := range d.Keys() {
		if first = compareKey(d, key, possible); first != nil {
			break
		}
	}
	if errors.Is(first, ErrStops) {
		return first
	}
	want, ok := possible.(*pyvalue.Dict)
	if !ok {
		return fmt.Errorf("%w: a possible value is %s, no object", ErrStops, pyvalue.Name(possible))
	}
	for _, key := range want.Keys() {
		if _, given := d.Get(key); given {
			continue
		}
		values, _ := want.Get(key)
		optional, err := isOptional(values)
		if err != nil {
			return err
		}
		if !optional {
			return fmt.Errorf("key %s is missing", key)
		}
	}
	return first
}

func compareKey(d *pyvalue.Dict, key string, possible any) error {
	want, ok := possible.(*pyvalue.Dict)
	if !ok {
		return fmt.Errorf("%w: a possible value is %s, no object", ErrStops, pyvalue.Name(possible))
	}
	values, ok := want.Get(key)
	if !ok {
		return fmt.Errorf("key %s is not expected", key)
	}
	all, err := normalizeValues(values)
	if err != nil {
		return err
	}
	if v, _ := d.Get(key); !containsValue(all, normalizeValue(v)) {
		return fmt.Errorf("key %s: %w", key, errWrongValue)
	}
	return nil
}

// compareDicts compares two lists of objects item by item.
func compareDicts(value any, possible []any) error {
	items, ok := value.([]any)
	err := errors.New("no value is possible")
	for _, p := range possible {
		want, n := []any(nil), 0
		switch p := p.(type) {
		case []any:
			want, n = p, len(p)
		case string:
			want = []any{}
			for _, r := range []rune(p) {
				want = append(want, string(r))
			}
			n = len(want)
		case *pyvalue.Dict:
			n = len(p.Keys())
		default:
			return fmt.Errorf("%w: possible values are %s, no list", ErrStops, pyvalue.Name(p))
		}
		if !ok || len(items) != n {
			err = fmt.Errorf("it has %d items, want %d", len(items), n)
			continue
		}
		if want == nil && n > 0 {
			return fmt.Errorf("%w: possible values are an object", ErrStops)
		}
		if err = compareItems(items, want); err == nil || errors.Is(err, ErrStops) {
			return err
		}
	}
	return err
}

func compareItems(items, want []any) error {
	for i, item := range items {
		if err := compareDict(item, want[i:i+1]); err != nil {
			return err
		}
	}
	return nil
}
