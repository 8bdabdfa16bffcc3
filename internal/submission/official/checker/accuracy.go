package checker

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// maxAccuracyLog is the maximum size of a truncated accuracy log in bytes.
const maxAccuracyLog = 10 << 10

const groupAccuracy = "accuracy"

func (c *checker) checkAccuracy(f *folder) {
	c.checkAccuracyText(f)
	c.checkAccuracyLog(f)
	c.checkAccuracyErrors(f)
	c.checkDataset(f)
	c.checkAccuracyFiles(f)
}

// checkAccuracyText reads accuracy.txt up to the line at which all metrics have reached their targets and a hash was
// found. A metric that misses its target on an earlier line fails.
func (c *checker) checkAccuracyText(f *folder) {
	scenario := canonicalScenario(f.place.Scenario)
	targets := c.rules.Targets(f.model, scenario)
	if len(targets) == 0 {
		f.addFault(groupAccuracy, "the rules know no accuracy for %s", f.model)
		return
	}
	if f.accuracyText == nil {
		f.addFault(groupAccuracy, "%s is missing", tree.AccuracyText)
		return
	}
	t := accuracyReading{targets: targets, seen: map[string]bool{}, values: pyvalue.NewDict()}
	for _, line := range f.accuracyText {
		if !t.readLine(line) {
			f.addFault(groupAccuracy, "%s has %q, want a number", tree.AccuracyText, strings.TrimSpace(line))
			return
		}
		if t.isComplete() {
			break
		}
	}
	f.accuracyValues = t.values
	if f.place.Division == tree.DivisionOpen {
		return
	}
	for _, text := range t.missed {
		f.addFault(groupAccuracy, "%s", text)
	}
	for _, target := range t.targets {
		if !target.Upper && !t.seen[target.Metric] {
			f.addFault(groupAccuracy, "%s does not show %s of at least %v", tree.AccuracyText, target.Metric, target.Value)
		}
	}
	if t.hash == "" {
		f.addFault(groupAccuracy, "%s has no line hash=...", tree.AccuracyText)
	}
}

type accuracyReading struct {
	targets []mlconf.Target
	seen    map[string]bool // metrics that reached their targets
	values  *pyvalue.Dict   // values by metric
	hash    string
	missed  []string
}

// readLine reads a line. It returns false if a value is not a number.
func (t *accuracyReading) readLine(line string) bool {
	for _, target := range t.targets {
		text, ok := result.ParseAccuracy(target.Metric, line)
		if !ok {
			continue
		}
		v, isNumber := pyfloat.Parse(text)
		if !isNumber {
			return false
		}
		switch {
		case target.Upper && v > target.Value:
			t.missed = append(t.missed, target.Metric+" is "+text+", want at most "+pyfloat.Repr(target.Value))
		case target.Upper:
		case v >= target.Value:
			t.seen[target.Metric] = true
		default:
			t.missed = append(t.missed, target.Metric+" is "+text+", want at least "+pyfloat.Repr(target.Value))
		}
		if !target.Upper {
			t.values.Set(target.Metric, text)
		}
	}
	if hash, ok := result.ParseHash(line); ok {
		t.hash = hash
	}
	return true
}

func (t *accuracyReading) isComplete() bool {
	return t.hash != "" && !slices.ContainsFunc(t.targets, func(target mlconf.Target) bool {
		return !target.Upper && !t.seen[target.Metric]
	})
}

func (c *checker) checkAccuracyLog(f *folder) {
	file := path.Join(f.place.Accuracy(), tree.AccuracyLog)
	switch size, err := c.files.Size(file); {
	case err != nil:
		f.addFault(groupAccuracy, "%s is missing", tree.AccuracyLog)
	case size > maxAccuracyLog:
		f.addFault(groupAccuracy, "%s has %d bytes and is not truncated, want at most %d", tree.AccuracyLog, size,
			maxAccuracyLog)
	}
}

// checkAccuracyErrors checks the errors in the log. All errors count. With the option Exceptions, the error about
// changed sources does not.
func (c *checker) checkAccuracyErrors(f *folder) {
	if f.accuracy.Unmarked {
		f.addFault(groupAccuracy, "a record has no is_error")
		return
	}
	for _, v := range f.accuracy.Errors {
		if text, ok := v.(string); !c.Exceptions || !ok || !strings.Contains(text, uncommittedText) {
			f.addFault(groupAccuracy, "the log has an error: %s", pyvalue.Name(v))
			return
		}
	}
}

func (c *checker) checkDataset(f *folder) {
	if c.SkipDatasetSize {
		return
	}
	key := "qsl_reported_total_count"
	if k := "effective_accuracy_sample_count"; f.accuracy.Has(k) {
		key = k
	}
	want := c.rules.AccuracySampleCount(f.model, f.place.Scenario)
	if v := f.accuracy.Get(key); want == 0 || !pyvalue.Equal(v, want) {
		f.addFault(groupAccuracy, "%s is %s, want %d", key, pyvalue.Name(v), want)
	}
}

// checkAccuracyFiles checks for the images or videos that the rules require of some benchmarks.
func (c *checker) checkAccuracyFiles(f *folder) {
	files, ok := c.rules.AccuracyFiles(f.model)
	if c.SkipAccuracyFiles || !ok {
		return
	}
	dir := path.Join(f.place.Accuracy(), files.Folder)
	names, err := c.files.Files(dir)
	if err != nil {
		f.addFault(groupAccuracy, "%s is missing", dir)
		return
	}
	for i, name := range names {
		names[i], _, _ = strings.Cut(name, ".")
	}
	for _, sample := range files.Samples {
		if name := strconv.FormatUint(sample, 10); !slices.Contains(names, name) {
			f.addFault(groupAccuracy, "%s has no file for the sample %s", dir, name)
		}
	}
}
