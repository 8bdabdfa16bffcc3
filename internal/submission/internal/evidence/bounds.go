package evidence

import (
	"os"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// ReadBounds reads the numbers of an audit.config that verdicts use, from keys MODEL.SCENARIO.NAME with a NAME in
// names. It calls warn for values that are not numbers. cutComments removes comments after values.
func ReadBounds(
	path string, names []string, cutComments bool, warn func(name, value string),
) (map[string]float64, error) {
	found := map[string]float64{}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return found, nil
	}
	err := EachFileLine(path, func(_ int, line string) error {
		name, value, ok := parseBound(line, names)
		if !ok {
			return nil
		}
		if cutComments {
			value, _, _ = strings.Cut(value, "#")
			value = strings.TrimSpace(value)
		}
		if v, number := pyfloat.Parse(value); number {
			found[name] = v
		} else {
			warn(name, value)
		}
		return nil
	})
	return found, err
}

func parseBound(line string, names []string) (name, value string, ok bool) {
	line = strings.TrimSpace(line)
	key, value, ok := strings.Cut(line, "=")
	parts := strings.Split(strings.TrimSpace(key), ".")
	if !ok || strings.HasPrefix(line, "#") || len(parts) < 3 {
		return "", "", false
	}
	for _, n := range names {
		if parts[len(parts)-1] == n {
			return n, strings.TrimSpace(value), true
		}
	}
	return "", "", false
}

// The keys of an audit.config that only verdicts use.
const (
	ThresholdKey = "test07_accuracy_threshold"
	MinTokensKey = "test09_min_output_tokens"
	MaxTokensKey = "test09_max_output_tokens"
)
