package result

import "strings"

// Inferable reports whether a result can be inferred from the log of another scenario on an edge system.
func Inferable(logged, scenario string) bool {
	switch strings.ToLower(logged) + " " + strings.ToLower(scenario) {
	case "singlestream multistream", "singlestream offline", "multistream offline":
		return true
	}
	return false
}
