package result

import "strings"

// IsInferable reports whether a result can be inferred from the log of another scenario on an edge system.
func IsInferable(logged, scenario string) bool {
	switch strings.ToLower(logged) + " " + strings.ToLower(scenario) {
	case "singlestream multistream", "singlestream offline", "multistream offline":
		return true
	}
	return false
}
