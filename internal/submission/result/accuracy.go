package result

import (
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// Accuracy is what a line of accuracy.txt says of a metric ("acc", "ROUGE1", as in the rules' targets): the value as it
// is written there, which need not be a number ("76.4.6"). ok is false where the line does not speak of the metric.
// A comma or an exponent ends the value, as in the official checker.
func Accuracy(metric, line string) (value string, ok bool) {
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

// HasForm says whether it is known how a metric is printed. Every metric of the rules has a form.
func HasForm(metric string) bool {
	m, err := mlconf.AccuracyMetricOf(metric)
	return err == nil && m.HasText()
}

// hashForm is the line that the truncation of the accuracy log leaves in accuracy.txt.
var hashForm = regexp.MustCompile(`^hash=([\p{L}\p{N}_]+)\n?$`)

// Hash is the value of a line hash=VALUE; ok is false for other lines.
func Hash(line string) (value string, ok bool) {
	m := hashForm.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	return m[1], true
}
