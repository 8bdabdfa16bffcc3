package option

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Readers of one value each. Their errors state the expected form.

func wholeReader(low, high int) func(string) (int, error) {
	return func(value string) (int, error) {
		n, err := strconv.Atoi(value)
		if err != nil || n < low || n > high {
			return 0, fmt.Errorf("want a number from %d to %d", low, high)
		}
		return n, nil
	}
}

func numberReader(low, high float64) func(string) (float64, error) {
	return func(value string) (float64, error) {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(n) || n < low || n > high {
			return 0, fmt.Errorf("want a number from %v to %v", low, high)
		}
		return n, nil
	}
}

func parseBool(value string) (bool, error) {
	b, err := strconv.ParseBool(value)
	if err != nil {
		return false, errors.New("want true or false")
	}
	return b, nil
}

func parseDuration(value string) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d <= 0 {
		return 0, errors.New("want a time above 0 such as 30s")
	}
	return d, nil
}

// wordReader returns a reader of one of words. Its errors list all words except the empty one.
func wordReader[T any](words map[string]T) func(string) (T, error) {
	return func(value string) (T, error) {
		v, ok := words[value]
		if !ok {
			names := slices.DeleteFunc(slices.Sorted(maps.Keys(words)), func(name string) bool { return name == "" })
			return v, fmt.Errorf("want one of %s", strings.Join(names, ", "))
		}
		return v, nil
	}
}
