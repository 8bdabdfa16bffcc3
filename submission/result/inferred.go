package result

import "strings"

// KeyOfflineFromSingleStream is the number of a SingleStream log that stands for an Offline result.
const KeyOfflineFromSingleStream = "result_qps_without_loadgen_overhead"

// Inferable says whether a log of one scenario may stand for the result of another, on a system of type edge.
func Inferable(logged, scenario string) bool {
	switch strings.ToLower(logged) + " " + strings.ToLower(scenario) {
	case "singlestream multistream", "singlestream offline", "multistream offline":
		return true
	}
	return false
}
