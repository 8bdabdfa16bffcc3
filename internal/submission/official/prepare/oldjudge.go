package prepare

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"

	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// oldJudge judges scenario folders like the official checker before the present one.
type oldJudge struct {
	rules    oldRules
	division string
	system   map[string]any // description of the system
}

// readLines reads a text like the checker.
func readLines(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s is not UTF-8", path)
	}
	whole := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(text))
	return slices.Collect(strings.Lines(whole)), nil
}

// judgeAccuracy judges the folder of an accuracy run.
func (j oldJudge) judgeAccuracy(model, dir string) (valid bool, err error) {
	targets, err := j.rules.accuracyTargets(model)
	if err != nil {
		return false, err
	}
	text, err := readLines(filepath.Join(dir, tree.AccuracyText))
	if err != nil {
		return false, err
	}
	valid, err = judgeAccuracyText(text, targets)
	if err != nil || !valid {
		return false, err
	}
	info, err := os.Stat(filepath.Join(dir, tree.AccuracyLog))
	if err != nil || info.Size() > 10*1024 {
		return false, nil //nolint:nilerr // a missing log is invalid
	}
	log, err := j.readDetail(filepath.Join(dir, tree.DetailLog))
	if err != nil || hasErrors(log) {
		return false, err
	}
	const samples = "effective_accuracy_sample_count"
	if !log.Has(samples) {
		return true, nil
	}
	n, err := usedNumber(log, samples)
	return n >= float64(j.rules.minAccuracySamples(model)), err
}

// judgeAccuracyText reads accuracy.txt up to the line at which all metrics and a hash were found.
func judgeAccuracyText(text []string, targets []mlconf.Target) (valid bool, err error) {
	valid = true
	hash, seen := false, map[string]bool{}
	lower := slices.DeleteFunc(slices.Clone(targets), func(t mlconf.Target) bool { return t.Upper })
	for _, line := range text {
		for _, t := range targets {
			found, ok := result.ParseAccuracy(t.Metric, line)
			if !ok {
				continue
			}
			v, err := strconv.ParseFloat(pyfloat.ToASCIIDigits(found), 64)
			if err != nil && !math.IsInf(v, 0) {
				return false, fmt.Errorf("%q is no number", found)
			}
			good := meetsTarget(v, t)
			valid = valid && good
			seen[t.Metric] = seen[t.Metric] || good && !t.Upper
		}
		_, ok := result.ParseHash(line)
		hash = hash || ok
		if hash && sawAllTargets(lower, seen) {
			break
		}
	}
	return valid && hash && sawAllTargets(lower, seen), nil
}

// meetsTarget reports whether a value meets a target.
func meetsTarget(v float64, t mlconf.Target) bool {
	if t.Upper {
		return v <= t.Value
	}
	return v >= t.Value
}

func sawAllTargets(targets []mlconf.Target, seen map[string]bool) bool {
	return !slices.ContainsFunc(targets, func(t mlconf.Target) bool { return !seen[t.Metric] })
}

// judgeCompliance judges the audits in a scenario's folder. An error means that the tool dies.
func (j oldJudge) judgeCompliance(model, scenario, dir string) (valid bool, err error) {
	tests := j.rules.auditTests(model)
	valid, err = j.judgeAuditRuns(model, scenario, dir, tests)
	if err != nil {
		return false, err
	}
	for _, test := range tests {
		good, err := j.judgeAuditAccuracy(model, test, filepath.Join(dir, test))
		if err != nil {
			return false, err
		}
		valid = valid && good
	}
	return valid, nil
}

// judgeAuditRuns judges the performance runs of audits. A run whose log stops the checker gets the verdict of the
// previous run. If there is none, the tool dies.
func (j oldJudge) judgeAuditRuns(model, scenario, dir string, tests []string) (valid bool, err error) {
	complete, passed := true, true
	judged, runValid := false, false
	for _, test := range tests {
		folder := filepath.Join(dir, test)
		if _, err := os.Stat(folder); err != nil {
			complete = false
			continue
		}
		if slices.Contains(tests, "TEST06") {
			continue
		}
		run := filepath.Join(folder, tree.PerformanceDir, tree.RunDir)
		if good, err := j.judgePerformance(model, scenario, run); err == nil {
			judged, runValid = true, good
		}
		passed = passed && hasAuditVerdict(folder)
		if passed && !judged {
			return false, fmt.Errorf("UnboundLocalError: the log in %s cannot be judged", run)
		}
		passed = passed && runValid
	}
	return complete && passed, nil
}

// hasAuditVerdict requires the verdict on an audit's run, and only the logs in its folder.
func hasAuditVerdict(folder string) bool {
	text, err := os.ReadFile(filepath.Join(folder, tree.VerifyPerformance))
	passed := err == nil && strings.Contains(string(text), evidence.Pass)
	run := filepath.Join(folder, tree.PerformanceDir, tree.RunDir)
	return passed && containsOnly(run, tree.RunFiles(), tree.AccuracyLog)
}

// containsOnly reports whether a folder contains the wanted files and no others except optional ones.
func containsOnly(folder string, want []string, optional ...string) bool {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false
	}
	found := map[string]bool{}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(folder, e.Name()))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		found[e.Name()] = true
		if !slices.Contains(want, e.Name()) && !slices.Contains(optional, e.Name()) && !tree.IsExtra(e.Name()) {
			return false
		}
	}
	return !slices.ContainsFunc(want, func(name string) bool { return !found[name] && !tree.IsExtra(name) })
}

// judgeAuditAccuracy judges the accuracy of an audit.
func (j oldJudge) judgeAuditAccuracy(model, test, folder string) (valid bool, err error) {
	if !slices.Contains([]string{"TEST01", "TEST06", "TEST07", "TEST08"}, test) {
		return true, nil
	}
	text, err := readLines(filepath.Join(folder, tree.VerifyAccuracy))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case test == "TEST01":
		return j.judgeOutputs(model, folder, strings.Contains(strings.Join(text, ""), evidence.Pass))
	case test == "TEST06":
		return containsLine(text, "First token check pass: True", "First token check pass: Skipped") &&
			containsLine(text, "EOS check pass: True") && containsLine(text, "Sample length check pass: True"), nil
	}
	return false, fmt.Errorf("TypeError: the old checker cannot judge %s", test)
}

func containsLine(text []string, wanted ...string) bool {
	return slices.ContainsFunc(text, func(line string) bool { return slices.Contains(wanted, strings.TrimSpace(line)) })
}

// judgeOutputs judges TEST01: the outputs are equal, or the accuracies are close enough.
func (j oldJudge) judgeOutputs(model, folder string, passed bool) (valid bool, err error) {
	dir := filepath.Join(folder, tree.AccuracyDir)
	want := []string{tree.AccuracyLog, tree.AccuracyText}
	if !passed {
		want = append(want, tree.BaselineAccuracy, tree.ComplianceAccuracy)
	}
	if !containsOnly(dir, want) {
		return false, nil
	}
	if passed {
		return true, nil
	}
	targets, err := j.rules.accuracyTargets(model)
	if err != nil {
		return false, err
	}
	for _, t := range targets {
		if t.Upper {
			continue
		}
		baseline, err := lastAccuracy(filepath.Join(dir, tree.BaselineAccuracy), t.Metric)
		if err != nil {
			return false, err
		}
		compliance, err := lastAccuracy(filepath.Join(dir, tree.ComplianceAccuracy), t.Metric)
		if err != nil {
			return false, err
		}
		if baseline == 0 || compliance == 0 || result.PercentDifference(baseline, compliance) > j.rules.DeltaPercent(model,
			t.Metric) {
			return false, nil
		}
	}
	return true, nil
}

// lastAccuracy returns the accuracy on the last line that contains one; 0: none.
func lastAccuracy(path, metric string) (v float64, err error) {
	text, err := readLines(path)
	if err != nil {
		return 0, err
	}
	for _, line := range text {
		if found, ok := result.ParseAccuracy(metric, line); ok {
			if v, err = strconv.ParseFloat(pyfloat.ToASCIIDigits(found), 64); err != nil {
				return 0, err
			}
		}
	}
	return v, nil
}
