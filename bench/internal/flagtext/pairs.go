package flagtext

import (
	"fmt"
	"strings"
)

// Pairs reads the texts of a flag, which its faults name. A key that occurs twice is a fault; the first value stays.
func Pairs(flag string, texts []string) (map[string]string, []error) {
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
