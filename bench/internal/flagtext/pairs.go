package flagtext

import (
	"fmt"
	"strings"
)

// ParsePairs parses the texts of a flag; faults name the flag. If a key is repeated, this is a fault, and the first
// value is kept.
func ParsePairs(flag string, texts []string) (map[string]string, []error) {
	var faults []error
	m := map[string]string{}
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		switch _, twice := m[key]; {
		case !ok || key == "":
			faults = append(faults, fmt.Errorf("%s %q: want key=value", flag, text))
		case twice:
			faults = append(faults, fmt.Errorf("%s: %q is given twice", flag, key))
		default:
			m[key] = value
		}
	}
	return m, faults
}
