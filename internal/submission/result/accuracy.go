package result

import (
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// ParseAccuracy returns the value of a metric in a line of accuracy.txt. metric is one of the rules' names, such as
// "acc" or "ROUGE1". The value is returned as written and need not be a number ("76.4.6"). A comma or an exponent ends
// the value, like in the official checker. ok is false if the line does not contain the metric.
func ParseAccuracy(metric, line string) (value string, ok bool) {
	m, err := mlconf.AccuracyMetricOf(metric)
	if err != nil {
		return "", false
	}
	value, ok = m.In(line)
	if !ok || strings.ContainsFunc(value, func(r rune) bool { return r != '.' && !pyfloat.IsDigit(r) }) {
		return "", false
	}
	return value, true
}

// IsFormKnown reports whether the printed form of a metric is known. It is known for all metrics of the rules.
func IsFormKnown(metric string) bool {
	m, err := mlconf.AccuracyMetricOf(metric)
	return err == nil && m.HasText()
}

// hashForm matches the line that truncation adds to accuracy.txt.
var hashForm = regexp.MustCompile(`^hash=([\p{L}\p{N}_]+)\n?$`)

// ParseHash returns the value of a line hash=VALUE. ok is false for other lines.
func ParseHash(line string) (value string, ok bool) {
	m := hashForm.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return m[1], true
}
