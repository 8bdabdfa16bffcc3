package system

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// StatedProperties contains properties of the system that the user states because the machine does not report them:
// accelerator, driver, power mode.
type StatedProperties map[string]string

// The limits of a file with such properties.
const (
	maxFileBytes  = 64 << 10
	maxProperties = 100  // number of names
	maxValueBytes = 1000 // bytes of a value
)

// ErrStated is wrapped by all errors about such files.
var ErrStated = errors.New("not a description of a system")

// ReadStated reads a file with one JSON object whose values are texts, numbers or truth values:
//
//	{"accelerator": "Acme X1", "driver": "5.2", "power_mode": "15 W"}
func ReadStated(path string) (StatedProperties, error) {
	f, err := bounded.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStated, err)
	}
	defer func() { _ = f.Close() }() // closing a file after reading loses no data
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrStated, path, err)
	}
	s, err := parseStated(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrStated, path, err)
	}
	return s, nil
}

// parseStated parses the object. The error lists every fault.
func parseStated(text []byte) (StatedProperties, error) {
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("it is longer than %d bytes", maxFileBytes)
	}
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, fmt.Errorf("want one JSON object such as {\"accelerator\": \"Acme X1\", \"driver\": \"5.2\"}: %w", err)
	}
	if len(values) > maxProperties {
		return nil, fmt.Errorf("%d names, want at most %d", len(values), maxProperties)
	}
	s := StatedProperties{}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text, err := statedText(values[name])
		if err == nil && (name == "" || len(name)+len(text) > maxValueBytes) {
			err = fmt.Errorf("want a name, and at most %d bytes", maxValueBytes)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%.100q: %w", name, err))
		}
		s[name] = text
	}
	return s, errors.Join(faults...)
}

// statedText returns a value as text.
func statedText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool, float64:
		return fmt.Sprint(v), nil
	}
	return "", errors.New("want a text, a number, true or false")
}

// String lists the properties: "accelerator Acme X1, power mode 15 W".
func (s StatedProperties) String() string {
	parts := make([]string, 0, len(s))
	for _, name := range slices.Sorted(maps.Keys(s)) {
		parts = append(parts, strings.ReplaceAll(name, "_", " ")+" "+s[name])
	}
	return strings.Join(parts, ", ")
}
