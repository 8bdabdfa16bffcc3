package power

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// What is wrong with a nameplate file.
var (
	ErrEmpty  = errors.New("the file is empty")
	ErrYAML   = errors.New("the file is no YAML")
	ErrValues = errors.New("a value is none that can be added up")
)

// Watts is the sum of power supplies, which the file has as whole numbers or not.
type Watts struct {
	Value float64
	Whole bool // all that was added are integers
}

// String is the number as the official tables have it: 1750, or 510.5, or 1750.0 where not all are whole numbers.
func (w Watts) String() string {
	text := strconv.FormatFloat(w.Value, 'f', -1, 64)
	if !w.Whole && !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

func (w Watts) plus(o Watts) Watts { return Watts{w.Value + o.Value, w.Whole && o.Whole} }

// MostNameplate is the size up to which a nameplate file is read, in bytes.
const MostNameplate = 64 << 10

// The bounds of what a small file can stand for: aliases, and components within components.
const (
	mostAliases = 16
	mostDepth   = 100
)

// The keys of a component, in any case.
const (
	keySupplies = "psus"
	keyNeeded   = "min psus needed"
	keyCapacity = "PowerCapacityWatts" // of a supply; this one in this case alone
)

// Nameplate adds up what a system's power supplies are made for, from the text of SYSTEM_power.yaml: every component
// with "PSUs" and "Min PSUs Needed" adds that many of its largest "PowerCapacityWatts". Components may lie in others
// and in lists. Supplies that are there for redundancy do not count. Errors are ErrEmpty, ErrYAML or ErrValues.
func Nameplate(text []byte) (w Watts, err error) {
	if err := readable(text); err != nil {
		return Watts{}, err
	}
	documents := yaml.NewDecoder(bytes.NewReader(text), yaml.UseOrderedMap(), yaml.AllowDuplicateMapKey())
	var v, second any
	switch err := documents.Decode(&v); {
	case errors.Is(err, io.EOF), err == nil && v == nil:
		return Watts{}, ErrEmpty
	case err != nil:
		return Watts{}, fmt.Errorf("%w: %w", ErrYAML, err)
	}
	if err := documents.Decode(&second); !errors.Is(err, io.EOF) {
		return Watts{}, fmt.Errorf("%w: it has more than one document", ErrYAML)
	}
	return sum(v, "")
}

func readable(text []byte) error {
	if len(text) > MostNameplate {
		return fmt.Errorf("%w: it has %d bytes, want at most %d", ErrYAML, len(text), MostNameplate)
	}
	if err := bounded.Nesting(text, mostDepth); err != nil {
		return fmt.Errorf("%w: %w", ErrYAML, err)
	}
	aliases := 0
	for _, t := range lexer.Tokenize(string(text)) {
		if t.Type == token.AliasType {
			aliases++
		}
	}
	if aliases > mostAliases {
		return fmt.Errorf("%w: it has %d aliases, want at most %d", ErrYAML, aliases, mostAliases)
	}
	return nil
}

// sum adds up a value at a place in the file.
func sum(v any, at string) (Watts, error) {
	total := Watts{Whole: true}
	add := func(v any, key string) error {
		w, err := sum(v, strings.TrimPrefix(at+"."+key, "."))
		total = total.plus(w)
		return err
	}
	var faults []error
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			faults = append(faults, add(item, strconv.Itoa(i+1)))
		}
	case yaml.MapSlice:
		supplies, isComponent := lookUp(v, keySupplies)
		needed, both := lookUp(v, keyNeeded)
		if isComponent && both {
			return component(supplies, needed, at)
		}
		for _, item := range last(v) {
			faults = append(faults, add(item.Value, fmt.Sprint(item.Key)))
		}
	}
	return total, errors.Join(faults...)
}

// last has each key once, with the last of its values.
func last(m yaml.MapSlice) yaml.MapSlice {
	var once yaml.MapSlice
	place := map[any]int{}
	for _, item := range m {
		if i, known := place[item.Key]; known {
			once[i].Value = item.Value
			continue
		}
		place[item.Key] = len(once)
		once = append(once, item)
	}
	return once
}

func lookUp(m yaml.MapSlice, key string) (v any, ok bool) {
	for _, item := range last(m) {
		if strings.ToLower(fmt.Sprint(item.Key)) == key {
			v, ok = item.Value, true
		}
	}
	return v, ok
}

// component adds the largest of the supplies, as many as are needed; a negative number leaves out as many of the
// smallest.
func component(supplies, needed any, at string) (Watts, error) {
	capacities, err := capacitiesOf(supplies, at)
	if err != nil {
		return Watts{}, err
	}
	n, ok := whole(needed)
	if !ok {
		return Watts{}, fmt.Errorf("%w: %s: found Min PSUs Needed %v, want a whole number", ErrValues, at, needed)
	}
	if n < 0 {
		n += len(capacities)
	}
	slices.SortStableFunc(capacities, func(a, b Watts) int { return cmp.Compare(b.Value, a.Value) })
	total := Watts{Whole: true}
	for _, c := range capacities[:min(max(n, 0), len(capacities))] {
		total = total.plus(c)
	}
	return total, nil
}

func capacitiesOf(supplies any, at string) ([]Watts, error) {
	list, ok := supplies.([]any)
	if !ok {
		return nil, fmt.Errorf("%w: %s: found PSUs %v, want a list", ErrValues, at, supplies)
	}
	capacities := make([]Watts, len(list))
	for i, item := range list {
		supply, ok := item.(yaml.MapSlice)
		if !ok {
			return nil, fmt.Errorf("%w: %s: found %v as supply %d, want its %s", ErrValues, at, item, i+1, keyCapacity)
		}
		capacity := any(uint64(0))
		for _, field := range supply {
			if field.Key == keyCapacity {
				capacity = field.Value
			}
		}
		if capacities[i], ok = watts(capacity); !ok {
			return nil, fmt.Errorf("%w: %s: found %s %v of supply %d, want a number without quotes", ErrValues, at,
				keyCapacity, capacity, i+1)
		}
	}
	return capacities, nil
}

func watts(v any) (Watts, bool) {
	switch v := v.(type) {
	case uint64:
		return Watts{float64(v), true}, true
	case int64:
		return Watts{float64(v), true}, true
	case float64:
		return Watts{v, false}, true
	}
	return Watts{}, false
}

func whole(v any) (int, bool) {
	w, ok := watts(v)
	return int(max(-1e9, min(1e9, w.Value))), ok && w.Whole
}
