package power

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/yaml11"
)

// What is wrong with a nameplate file.
var (
	ErrEmpty  = yaml11.ErrEmpty
	ErrYAML   = yaml11.ErrYAML
	ErrValues = errors.New("a value is none that can be added up")
)

// Watts is the sum of the ratings of power supplies, which may be fractional in the file.
type Watts struct {
	Value float64
	Whole bool // all that was added are integers
}

// String is the number as the official tables have it: 1750, or 510.5, or 1750.0 where not all are whole numbers.
func (w Watts) String() string {
	if !w.Whole {
		return pyfloat.Repr(w.Value)
	}
	return strconv.FormatFloat(w.Value, 'f', -1, 64)
}

func (w Watts) addWatts(o Watts) Watts { return Watts{w.Value + o.Value, w.Whole && o.Whole} }

// MostNameplate is the size up to which a nameplate file is read, in bytes.
const MostNameplate = 64 << 10

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
	v, err := yaml11.Decode(text, MostNameplate)
	if err != nil {
		return Watts{}, err
	}
	return sumPlace(v, "")
}

// sumPlace adds up a value at a place in the file.
func sumPlace(v any, at string) (Watts, error) {
	total := Watts{Whole: true}
	add := func(v any, key string) error {
		w, err := sumPlace(v, strings.TrimPrefix(at+"."+key, "."))
		total = total.addWatts(w)
		return err
	}
	var faults []error
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			faults = append(faults, add(item, strconv.Itoa(i+1)))
		}
	case yaml11.Mapping:
		for _, i := range v {
			if _, ok := i.Key.(string); !ok {
				return Watts{}, fmt.Errorf("%w: %s: found the key %v, want a text", ErrValues, at, i.Key)
			}
		}
		supplies, isComponent := lookUp(v, keySupplies)
		needed, both := lookUp(v, keyNeeded)
		if isComponent && both {
			return addComponent(supplies, needed, at)
		}
		faults = append(faults, lists.Map(v, func(i yaml11.Item) error { return add(i.Value, i.Key.(string)) })...)
	}
	return total, errors.Join(faults...)
}

func lookUp(m yaml11.Mapping, key string) (v any, ok bool) {
	for _, i := range m {
		if text, _ := i.Key.(string); pyvalue.Lower(text) == key {
			v, ok = i.Value, true
		}
	}
	return v, ok
}

// addComponent adds the largest of the supplies, as many as are needed; a negative number leaves out as many of the
// smallest.
func addComponent(supplies, needed any, at string) (Watts, error) {
	capacities, err := capacitiesOf(supplies, at)
	if err != nil {
		return Watts{}, err
	}
	n, ok := neededCount(needed, len(capacities))
	if !ok {
		return Watts{}, fmt.Errorf("%w: %s: found Min PSUs Needed %v, want a whole number", ErrValues, at, needed)
	}
	if n < 0 {
		n += len(capacities)
	}
	slices.SortStableFunc(capacities, func(a, b Watts) int { return cmp.Compare(b.Value, a.Value) })
	total := Watts{Whole: true}
	for _, c := range capacities[:min(max(n, 0), len(capacities))] {
		total = total.addWatts(c)
	}
	return total, nil
}

func capacitiesOf(supplies any, at string) ([]Watts, error) {
	list, ok := supplies.([]any)
	if m, isMapping := supplies.(yaml11.Mapping); !ok && (!isMapping || len(m) > 0) && supplies != "" {
		return nil, fmt.Errorf("%w: %s: found PSUs %v, want a list", ErrValues, at, supplies)
	}
	capacities := make([]Watts, len(list))
	for i, one := range list {
		supply, ok := one.(yaml11.Mapping)
		if !ok {
			return nil, fmt.Errorf("%w: %s: found %v as supply %d, want its %s", ErrValues, at, one, i+1, keyCapacity)
		}
		capacity := any(new(big.Int))
		for _, field := range supply {
			if field.Key == keyCapacity {
				capacity = field.Value
			}
		}
		if capacities[i], ok = wattsOf(capacity); !ok {
			return nil, fmt.Errorf("%w: %s: found %s %v of supply %d, want a number without quotes", ErrValues, at,
				keyCapacity, capacity, i+1)
		}
	}
	return capacities, nil
}

// wattsOf is a number; yes is 1, and no 0. Integers above 2^53 are none.
func wattsOf(v any) (Watts, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return Watts{1, true}, true
		}
		return Watts{0, true}, true
	case *big.Int:
		return Watts{float64(v.Int64()), true}, v.IsInt64() && max(v.Int64(), -v.Int64()) <= 1<<53
	case float64:
		return Watts{v, false}, true
	}
	return Watts{}, false
}

// neededCount is how many of so many supplies are needed: all where nothing is said.
func neededCount(v any, all int) (int, bool) {
	if v == nil {
		return all, true
	}
	w, ok := wattsOf(v)
	return int(max(-1e9, min(1e9, w.Value))), ok && w.Whole
}
