package power

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/yaml11"
)

// Errors of nameplate files.
var (
	ErrEmpty  = yaml11.ErrEmpty
	ErrYAML   = yaml11.ErrYAML
	ErrValues = errors.New("a value is none that can be added up")
)

// Watts is a sum of power supplies' ratings, which can be fractional.
type Watts struct {
	Value float64
	Whole bool // all summands are integers
}

// String returns the number in the form of the official tables: 1750, 510.5, or 1750.0 if not all summands are
// integers.
func (w Watts) String() string {
	if !w.Whole {
		return pyfloat.Repr(w.Value)
	}
	return strconv.FormatFloat(w.Value, 'f', -1, 64)
}

func (w Watts) addWatts(o Watts) Watts { return Watts{w.Value + o.Value, w.Whole && o.Whole} }

// MaxNameplateSize is the maximum size of a nameplate file in bytes.
const MaxNameplateSize = 64 << 10

// The keys of a component, in any case of letters.
const (
	keySupplies = "psus"
	keyNeeded   = "min psus needed"
	keyCapacity = "PowerCapacityWatts" // of a supply; case-sensitive
)

// SumNameplate adds the ratings of a system's power supplies in the text of SYSTEM_power.yaml. A component with "PSUs"
// and "Min PSUs Needed" contributes that number of its largest "PowerCapacityWatts", so redundant supplies do not
// count. Components can be nested in other components and in lists. Errors are ErrEmpty, ErrYAML or ErrValues.
func SumNameplate(text []byte) (w Watts, err error) {
	v, err := yaml11.Decode(text, MaxNameplateSize)
	if err != nil {
		return Watts{}, err
	}
	return sumWatts(v, "")
}

// sumWatts adds the ratings in a value at a place in the file.
func sumWatts(v any, at string) (Watts, error) {
	total := Watts{Whole: true}
	add := func(v any, key string) error {
		w, err := sumWatts(v, strings.TrimPrefix(at+"."+key, "."))
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
		for _, i := range v {
			faults = append(faults, add(i.Value, i.Key.(string)))
		}
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

// addComponent adds the largest needed supplies of a component. A negative number excludes that number of the smallest
// ones.
func addComponent(supplies, needed any, at string) (Watts, error) {
	capacities, err := readCapacities(supplies, at)
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

func readCapacities(supplies any, at string) ([]Watts, error) {
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
		if capacities[i], ok = toWatts(capacity); !ok {
			return nil, fmt.Errorf("%w: %s: found %s %v of supply %d, want a number without quotes", ErrValues, at,
				keyCapacity, capacity, i+1)
		}
	}
	return capacities, nil
}

// toWatts converts a value to a number. yes is 1 and no is 0. It rejects integers above 2^53.
func toWatts(v any) (Watts, bool) {
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

// neededCount returns the number of needed supplies among all. A missing value means all.
func neededCount(v any, all int) (int, bool) {
	if v == nil {
		return all, true
	}
	w, ok := toWatts(v)
	return int(max(-1e9, min(1e9, w.Value))), ok && w.Whole
}
