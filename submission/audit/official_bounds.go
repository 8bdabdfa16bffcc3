package audit

import (
	"fmt"
	"os"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// auditBounds reads numbers of an audit.config that are for a verdict: keys MODEL.SCENARIO.NAME whose name is wanted.
// warn is told of values that are no numbers. Comments behind a value are cut only where cutComments says so.
func auditBounds(
	path string, names []string, cutComments bool, warn func(name, value string),
) (map[string]float64, error) {
	found := map[string]float64{}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return found, nil
	}
	err := withLines(path, func(_ int, line string) error {
		name, value, ok := boundOf(line, names)
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

func boundOf(line string, names []string) (name, value string, ok bool) {
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

// officialFolder is what TEST07 and TEST09 want first: a folder with an accuracy log. It returns what they print where
// it is not there.
func officialFolder(r Request) string {
	folder := strings.TrimSuffix(r.Run.Accuracy, "mlperf_log_accuracy.json")
	if folder != "/" {
		folder = strings.TrimSuffix(folder, string(os.PathSeparator))
	}
	if info, err := os.Stat(folder); folder != "" && (err != nil || !info.IsDir()) {
		return fmt.Sprintf("Error: Compliance directory does not exist: %s\n", folder)
	}
	if info, err := os.Stat(r.Run.Accuracy); err != nil || !info.Mode().IsRegular() {
		return fmt.Sprintf("Error: Accuracy log not found: %s\n", r.Run.Accuracy)
	}
	return ""
}
