package check

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// checkAccuracyText checks accuracy.txt, which contains the output of the benchmark's script and the hash of the
// accuracy log.
func (r *resultFolder) checkAccuracyText() {
	r.checkShownFiles()
	name := r.accuracyFile()
	if !r.checker.tree.HasFile(name) {
		r.addReject(ruleFiles, name, "the accuracy is missing", "", name,
			"add what the benchmark's accuracy script printed")
		return
	}
	raw, err := r.checker.readBytes(name)
	text := ""
	if err == nil {
		text, err = pyvalue.ReadText(bytes.NewReader(raw), maxDocument)
	}
	if err != nil {
		r.addReject(ruleFiles, name, "the accuracy cannot be read", err.Error(), "", "mend the file")
		return
	}
	if bytes.IndexByte(raw, '\r') >= 0 {
		r.addWarning(ruleAccuracy, name, "lines end with carriage returns", "", "line feeds alone", "write the file anew")
	}
	lines := strings.Split(text, "\n")
	r.checkHash(name, lines)
	if !r.isKnown {
		return
	}
	targets := r.checker.rules.Targets(r.model, r.scenario)
	counted := r.numReadLines(lines, targets)
	found := 0
	for _, metric := range metricsOf(targets) {
		found += r.checkMetricLines(name, metric, lines, counted, targets)
	}
	if !r.isClosed() && found == 0 {
		r.addReject(ruleOpen, name, "there is no accuracy", "", strings.Join(metricsOf(targets), ", "),
			"say in the open division too how accurate the model is")
	}
	r.checkGoodOfTotal(name, lines)
}

// metricsOf returns the names of the metrics with a target or an upper limit.
func metricsOf(targets []mlconf.Target) (metrics []string) {
	for _, t := range targets {
		if !slices.Contains(metrics, t.Metric) {
			metrics = append(metrics, t.Metric)
		}
	}
	return metrics
}

// hasTarget reports whether a metric has a target to reach.
func hasTarget(targets []mlconf.Target, metric string) bool {
	return slices.ContainsFunc(targets, func(t mlconf.Target) bool { return t.Metric == metric && !t.Upper })
}

// accuracyValue is a number in accuracy.txt.
type accuracyValue struct {
	line      int
	text      string
	value     float64
	isPercent bool // in percent, although the target is a share of 1
}

// accuracyValues returns the values of a metric in lines, and texts in their place that are not numbers.
func accuracyValues(metric string, lines []string) (list []accuracyValue, bad []string) {
	for i, line := range lines {
		text, ok := result.ParseAccuracy(metric, line)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(pyfloat.ToASCIIDigits(text), 64)
		if err != nil || continuesAfter(line, text) {
			bad = append(bad, line)
			continue
		}
		list = append(list, accuracyValue{line: i, text: text, value: v, isPercent: strings.Contains(line, percentOfShare)})
	}
	return list, bad
}

// percentOfShare marks the line of pointpainting's script with a value in percent.
const percentOfShare = "'Total':"

// afterNumber matches a continuation of a number.
var afterNumber = regexp.MustCompile(`^(,\d|[eE][-+]?\d)`)

// continuesAfter reports whether the number in a line continues after its matched text, as in 76,460 and 7.646e1.
func continuesAfter(line, number string) bool {
	for at := 0; ; {
		i := strings.Index(line[at:], number)
		if i < 0 {
			return false
		}
		at += i + len(number)
		if afterNumber.MatchString(line[at:]) {
			return true
		}
	}
}

// numReadLines returns the number of lines that the official checker reads. It stops when it has found the hash and all
// metrics that reach their targets.
func (r *resultFolder) numReadLines(lines []string, targets []mlconf.Target) int {
	seen := map[string]bool{}
	hash := false
	for i, line := range lines {
		for _, t := range targets {
			if list, _ := accuracyValues(t.Metric, []string{line}); len(list) > 0 && !t.Upper && list[0].value >= t.Value {
				seen[t.Metric] = true
			}
		}
		_, is := result.ParseHash(line)
		hash = hash || is
		if hash && len(seen) == countTargets(targets) {
			return i + 1
		}
	}
	return len(lines)
}

func countTargets(targets []mlconf.Target) int {
	n := 0
	for _, metric := range metricsOf(targets) {
		if hasTarget(targets, metric) {
			n++
		}
	}
	return n
}

// checkMetricLines checks one metric against its targets and returns the number of its values.
func (r *resultFolder) checkMetricLines(name, metric string, lines []string, counted int, targets []mlconf.Target) int {
	list, bad := accuracyValues(metric, lines)
	for _, line := range bad {
		r.addReject(ruleAccuracy, name, metric+" is not a plain number", line, "digits and one point",
			"write the number so")
	}
	if len(list) == 0 {
		if r.isClosed() && len(bad) == 0 && hasTarget(targets, metric) {
			r.addReject(ruleAccuracy, name, metric+" is missing", "", "the line that the benchmark's script prints",
				"add what the benchmark's accuracy script printed")
		}
		return 0
	}
	for _, v := range list {
		if v.line < counted {
			r.checkTarget(name, metric, v, targets)
		}
	}
	last := list[len(list)-1]
	if slices.ContainsFunc(list, func(v accuracyValue) bool { return v.value != last.value }) {
		r.addWarning(ruleAccuracy, name, metric+" is there with different values", list[0].text+" and "+last.text,
			"one value",
			"leave the one of this run")
	}
	return len(list)
}

func (r *resultFolder) checkTarget(name, metric string, v accuracyValue, targets []mlconf.Target) {
	official, err := mlconf.AccuracyMetricOf(metric)
	if err != nil { // cannot fail: mlconf rejects rounds with unknown metrics
		r.addReject(ruleAccuracy, name, metric+" cannot be judged", v.text, "", err.Error())
		return
	}
	if most := official.Most; most > 0 && v.value > most {
		limit := strconv.FormatFloat(most, 'g', -1, 64)
		r.addReject(ruleAccuracy, name, metric+" is over "+limit+" %", v.text, "at most "+limit,
			"see how the number was made")
	}
	if !r.isClosed() {
		return
	}
	for _, t := range targets {
		limit := strconv.FormatFloat(t.Value, 'g', -1, 64)
		switch {
		case t.Metric != metric:
		case official.Inverted != nil:
			r.checkInverted(name, v, t, *official.Inverted)
		case t.Upper && v.value > t.Value:
			r.addReject(ruleAccuracy, name, metric+" is over its upper limit", v.text, "at most "+limit,
				"see why the outputs differ")
		case !t.Upper && v.value < t.Value:
			r.addReject(ruleAccuracy, name, metric+" is below its target", v.text, "at least "+limit,
				"submit a more accurate model, or to the open division")
		case !t.Upper && v.isPercent && v.value/100 < t.Value:
			r.addReject(ruleAccuracy, name, metric+" is below its target", v.text+" percent",
				fmt.Sprintf("at least %.6g percent: the official checker takes the percent for a share of 1, and accepts it",
					100*t.Value), "submit a more accurate model, or to the open division")
		}
	}
}

// checkInverted judges a metric for which lower is better. It rejects values above the limit. The official checker
// accepts all values that are not better than the reference.
func (r *resultFolder) checkInverted(name string, v accuracyValue, t mlconf.Target, of mlconf.InvertedTarget) {
	limit, good := of.Limit(t.Value), of.Good(t.Value)
	switch {
	case v.value > limit:
		r.addReject(ruleAccuracy, name, t.Metric+" is over its limit", v.text,
			fmt.Sprintf("at most %.5f: lower is better", limit),
			"submit a more accurate model, or to the open division")
	case v.value > good:
		r.addFinding(Note, ruleAccuracy, name, t.Metric+" is over what the benchmark's text asks for", v.text,
			fmt.Sprintf("at most %.5f: lower is better, and the reference is to be %.1f %% of it", good, 100*of.Share),
			"submit a more accurate model: the official checker takes any that is not better than the reference")
	case v.value < t.Value:
		r.addReject(ruleAccuracy, name, "the official checker refuses so low a normalised entropy", v.text,
			fmt.Sprintf("at least %.5f there, though lower is better", t.Value), "tell the working group")
	}
}

// goodOfTotal matches an accuracy in percent with its counts.
var goodOfTotal = regexp.MustCompile(`accuracy=([\d.]+)%, good=(\d+), total=(\d+)`)

// checkGoodOfTotal compares an accuracy with the counts in its line.
func (r *resultFolder) checkGoodOfTotal(name string, lines []string) {
	for _, line := range lines {
		m := goodOfTotal.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		said, _ := strconv.ParseFloat(m[1], 64)
		good, _ := strconv.ParseFloat(m[2], 64)
		total, _ := strconv.ParseFloat(m[3], 64)
		if is := 100 * good / total; math.Abs(is-said) > 0.001 {
			r.addWarning(ruleAccuracy, name, "the accuracy is not that of its counts", m[0], fmt.Sprintf("%.3f %%", is),
				"file what the benchmark's accuracy script printed")
		}
	}
}
