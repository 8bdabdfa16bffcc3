package result

import "strings"

// Inferable says whether a log of one scenario may stand for the result of another, on a system of type edge.
func Inferable(logged, scenario string) bool {
	switch strings.ToLower(logged) + " " + strings.ToLower(scenario) {
	case "singlestream multistream", "singlestream offline", "multistream offline":
		return true
	}
	return false
}
