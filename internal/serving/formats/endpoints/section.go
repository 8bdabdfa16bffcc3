package endpoints

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
)

// configSection is a mapping of the configuration, with the path to it.
type configSection struct {
	*configReader
	path string
	keys map[string]any
}

// subsection returns the section at key. It reports a fault if the value is not a mapping or contains an unknown key.
func (s configSection) subsection(key string, known ...string) configSection {
	of := configSection{configReader: s.configReader, path: s.pathOf(key)}
	switch v := s.keys[key].(type) {
	case nil:
	case map[string]any:
		of.keys = v
	default:
		s.addFaultf(of.path, "%s, want a mapping", shortValue(v))
	}
	of.checkKeys(known)
	return of
}

func (s configSection) checkKeys(known []string) {
	for _, key := range slices.Sorted(maps.Keys(s.keys)) {
		if !slices.Contains(known, key) {
			s.faults = append(s.faults, fmt.Errorf("%s: %w", s.pathOf(key), suggest.Unknown("key", key, known)))
		}
	}
}

func (s configSection) pathOf(key string) string {
	if s.path == "" {
		return key
	}
	return s.path + "." + key
}

// shortValue returns a quoted value for a message, shortened if it is long.
func shortValue(v any) string {
	text := fmt.Sprintf("%v", v)
	if len(text) > 40 {
		text = text[:40] + "..."
	}
	return strconv.Quote(text)
}

// rejectKeys reports a fault for each of the keys that has a value.
func (s configSection) rejectKeys(why string, keys ...string) {
	for _, key := range keys {
		if v := s.keys[key]; v != nil {
			s.addFaultf(s.pathOf(key), "%s: %s", shortValue(v), why)
		}
	}
}

// ignoreKeys notes each of the keys that has a value as a key without an effect.
func (s configSection) ignoreKeys(keys ...string) {
	for _, key := range keys {
		if s.keys[key] != nil {
			s.ignoredKeys = append(s.ignoredKeys, s.pathOf(key))
		}
	}
}

// textAt returns the string at key; "": none.
func (s configSection) textAt(key string) string {
	switch v := s.keys[key].(type) {
	case nil:
	case string:
		return strings.TrimSpace(v)
	case bool: // some YAML writers write on and off for booleans
		if v {
			return "on"
		}
		return "off"
	default:
		s.addFaultf(s.pathOf(key), "%s, want a word", shortValue(v))
	}
	return ""
}

// numberAt returns the number at key, which must be least or more. ok is false if there is no number or it is a fault.
func (s configSection) numberAt(key string, least float64, whole bool) (n float64, ok bool) {
	switch v := s.keys[key].(type) {
	case nil:
		return 0, false
	case uint64:
		n = float64(v)
	case int64:
		n = float64(v)
	case float64:
		n = v
	default:
		n = math.NaN()
	}
	if !(n >= least) || n > 1e15 || whole && n != math.Trunc(n) {
		what := "a number"
		if whole {
			what = "a whole number"
		}
		s.addFaultf(s.pathOf(key), "%s, want %s from %v on", shortValue(s.keys[key]), what, least)
		return 0, false
	}
	return n, true
}

// seedAt returns the unsigned 64-bit number at key, or the endpoints harness's default.
func (s configSection) seedAt(key string) string {
	switch v := s.keys[key].(type) {
	case nil:
	case uint64:
		return strconv.FormatUint(v, 10)
	default:
		s.addFaultf(s.pathOf(key), "%s, want a whole number from 0 on", shortValue(v))
	}
	return formatNumber(defaultSeed)
}

// truth returns the boolean at key, or otherwise if there is none.
func (s configSection) boolAt(key string, fallback bool) bool {
	switch v := s.keys[key].(type) {
	case nil:
	case bool:
		return v
	default:
		s.addFaultf(s.pathOf(key), "%s, want true or false", shortValue(v))
	}
	return fallback
}

// millis returns the duration at key in milliseconds, or otherwise if there is none. A text contains its unit: ms, s or
// m.
func (s configSection) millisAt(key string, fallback float64) float64 {
	text, ok := s.keys[key].(string)
	if !ok {
		if n, ok := s.numberAt(key, 0, true); ok {
			return n
		}
		return fallback
	}
	for _, unit := range []struct {
		name string
		ms   float64
	}{{"ms", 1}, {"s", 1000}, {"m", 60_000}} {
		if digits, cut := strings.CutSuffix(strings.TrimSpace(text), unit.name); cut {
			if n, err := strconv.ParseFloat(digits, 64); err == nil && n >= 0 && n < 1e12 {
				return math.Trunc(n * unit.ms)
			}
		}
	}
	s.addFaultf(s.pathOf(key), "%s, want milliseconds, or a number with ms, s or m", shortValue(text))
	return fallback
}

func formatNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
