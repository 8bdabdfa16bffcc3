package former

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/detail"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// maxAccuracyLog is the maximum size of a truncated accuracy log in bytes.
const maxAccuracyLog = 10 << 10

// quotedValue matches a quoted value, as in the output of later scripts.
var quotedValue = regexp.MustCompile(`':[\s\v\x1c-\x1f\x{85}\p{Z}]+'`)

// parseAccuracy returns the value of a metric in a line.
func (c *formerChecker) parseAccuracy(metric, line string) (value string, ok bool) {
	if c.book.DoubleQuotes && strings.HasPrefix(line, "{'") {
		return "", false
	}
	m, err := mlconf.AccuracyMetricOf(metric)
	if err != nil {
		return "", false
	}
	if value, ok, has := m.FormerIn(line); has {
		return value, ok
	}
	if quotedValue.MatchString(line) {
		return "", false
	}
	return result.ParseAccuracy(metric, line)
}

// judgeAccuracyFolder judges the accuracy, the size of the accuracy log and the errors in the detail log. An error is a
// crash.
func (c *formerChecker) judgeAccuracyFolder(f *scenarioFolder, dir string) (faults []string, err error) {
	targets := c.rules.Targets(f.model, "")
	if len(targets) == 0 {
		return nil, fmt.Errorf("the rules know no accuracy for %s", f.checkerName)
	}
	name := path.Join(dir, tree.AccuracyText)
	lines, err := c.files.Lines(name)
	if err != nil {
		return nil, err
	}
	read := c.judgeAccuracies
	if !c.book.EachMetric {
		read = c.judgeFirstAccuracy
	}
	if faults, err = read(f, lines, targets); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	switch size, err := c.files.Size(path.Join(dir, tree.AccuracyLog)); {
	case err != nil:
		faults = append(faults, tree.AccuracyLog+" is missing")
	case size > maxAccuracyLog:
		faults = append(faults, fmt.Sprintf("%s has %d bytes and is not truncated, want at most %d", tree.AccuracyLog, size,
			maxAccuracyLog))
	}
	log, err := c.readAccuracyDetail(dir)
	if err != nil {
		return nil, err
	}
	fault, err := c.firstLogError(log)
	if fault != "" {
		faults = append(faults, fault)
	}
	return faults, err
}

func (c *formerChecker) readAccuracyDetail(dir string) (log *detail.Log, err error) {
	if !c.features.TextLogs {
		return c.files.OldLog(path.Join(dir, tree.DetailLog))
	}
	log = detail.NewLog(nil)
	log.Errors, err = c.readTextErrors(dir)
	return log, err
}

const errNumber = "%s is %q, want a number"

// accuracies reads up to the line at which all metrics have reached their targets and a hash was found. A metric that
// misses its target on an earlier line fails.
func (c *formerChecker) judgeAccuracies(f *scenarioFolder, lines []string, targets []mlconf.Target) (faults []string,
	err error) {
	lower := slices.DeleteFunc(slices.Clone(targets), func(t mlconf.Target) bool { return t.Upper })
	seen, hash := map[string]bool{}, ""
	for _, line := range lines {
		for _, t := range targets {
			text, ok := c.parseAccuracy(t.Metric, line)
			if !ok {
				continue
			}
			fault, err := targetFault(t, text)
			switch {
			case err != nil:
				return nil, err
			case fault != "":
				faults = append(faults, fault)
			case !t.Upper:
				seen[t.Metric] = true
			}
			if t.Metric == lower[0].Metric && !t.Upper {
				f.accuracy = text
			}
		}
		if h, ok := result.ParseHash(line); ok {
			hash = h
		}
		if hash != "" && len(seen) == len(lower) {
			break
		}
	}
	for _, t := range lower {
		if !seen[t.Metric] {
			faults = append(faults, fmt.Sprintf("%s does not show %s of at least %v", tree.AccuracyText, t.Metric, t.Value))
		}
	}
	if hash == "" {
		faults = append(faults, tree.AccuracyText+" has no line hash=...")
	}
	return faults, nil
}

// targetFault describes how an accuracy misses a target, or returns "" if it does not.
func targetFault(t mlconf.Target, text string) (fault string, err error) {
	v, isNumber := pyfloat.Parse(text)
	switch {
	case !isNumber:
		return "", fmt.Errorf(errNumber, t.Metric, text)
	case t.Upper && v > t.Value:
		return fmt.Sprintf("%s is %s, want at most %v", t.Metric, text, t.Value), nil
	case !t.Upper && !(v >= t.Value): // also for NaN
		return fmt.Sprintf("%s is %s, want at least %v", t.Metric, text, t.Value), nil
	}
	return "", nil
}

// judgeFirstAccuracy reads up to the line at which an accuracy and a hash were found. The last accuracy counts.
func (c *formerChecker) judgeFirstAccuracy(f *scenarioFolder, lines []string,
	targets []mlconf.Target) (faults []string, err error) {
	t := targets[0]
	hash, found := "", ""
	for _, line := range lines {
		if text, ok := c.parseAccuracy(t.Metric, line); ok {
			found = text
		}
		if h, ok := result.ParseHash(line); ok {
			hash = h
		}
		if hash != "" && found != "" {
			break
		}
	}
	if found != "" {
		f.accuracy = found
		v, isNumber := pyfloat.Parse(found)
		if !isNumber {
			return nil, fmt.Errorf(errNumber, t.Metric, found)
		}
		if v < t.Value {
			faults = append(faults, fmt.Sprintf("%s is %s, want at least %v", t.Metric, found, t.Value))
		}
	} else {
		faults = append(faults, tree.AccuracyText+" does not show "+t.Metric)
	}
	if hash == "" {
		faults = append(faults, tree.AccuracyText+" has no line hash=...")
	}
	return faults, nil
}

// uncommittedText is contained in the error of a LoadGen built from changed sources.
const uncommittedText = "Loadgen built with uncommitted changes!"

// firstLogError returns the first error of a log that counts; empty: none. An error means that the checker ends here.
func (c *formerChecker) firstLogError(log *detail.Log) (fault string, err error) {
	if log == nil {
		return tree.DetailLog + " is missing", nil
	}
	if log.Unmarked {
		return "", fmt.Errorf("a record has no is_error")
	}
	for _, v := range log.Errors {
		text, ok := v.(string)
		if c.Exceptions && !ok {
			return "", fmt.Errorf("an error of the log is %s, want a text", pyvalue.Name(v))
		}
		if !c.Exceptions || !strings.Contains(text, uncommittedText) {
			return "the log has an error: " + pyvalue.Name(v), nil
		}
	}
	return "", nil
}

// checkShownFiles checks for the images that the rules require of some benchmarks.
func (c *formerChecker) checkShownFiles(f *scenarioFolder, dir string) (faults []string) {
	files, ok := c.rules.AccuracyFiles(f.model)
	if !ok {
		return nil
	}
	dir = path.Join(dir, files.Folder)
	names, err := c.files.Files(dir)
	if err != nil {
		return []string{dir + " is missing"}
	}
	stems := make([]string, len(names))
	for i, name := range names {
		name, _, _ = strings.Cut(name, ".")
		stems[i] = name
	}
	names = stems
	for _, sample := range files.Samples {
		if name := strconv.FormatUint(sample, 10); !slices.Contains(names, name) {
			faults = append(faults, fmt.Sprintf("%s has no file for the sample %s", dir, name))
		}
	}
	return faults
}
