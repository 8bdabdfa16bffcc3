package mlconf

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf/internal/roundfiles"
)

// AccuracyMetric describes an official metric of accuracy for all code that reads or writes one. It is a row of
// accuracy.json, in the folder of the rounds' files. Callers must not change the values that it points to.
type AccuracyMetric struct {
	Name string `json:"-"` // in the rounds' targets: "acc", "ROUGE1"
	// Unit is the unit of the value in results: "%", "characters". Scripts may print a share of 1 instead.
	Unit   string `json:"unit"`
	Better string `json:"better"` // the direction of improvement: "higher", "lower" or "neither"
	// About describes the metric in a sentence without a full stop, and Formula its computation. Code is the function that
	// computes it in this project, with the path of its package: "accuracy/topk.New". Empty means that this project does
	// not compute it.
	About   string `json:"about"`
	Formula string `json:"formula"`
	Code    string `json:"code"`
	// Most is the maximum value in the unit of the scripts; 0 means no maximum.
	Most float64 `json:"most"`
	// Unprepared reports that the checker that follows the official preparation tool cannot read the metric.
	Unprepared bool `json:"unprepared"`
	// Inverted is set for a metric that the official checker compares in the wrong direction.
	Inverted *InvertedTarget `json:"inverted"`
	// Endpoints describes how the endpoints harness scores the metric; nil means that it does not.
	Endpoints *EndpointsMethod `json:"endpoints"`

	text, former func() *regexp.Regexp // nil if not known
}

// InvertedTarget contains the allowed distance from the reference for a metric where lower is better, but the official
// checker requires a value above a share of the reference.
type InvertedTarget struct {
	Share float64 `json:"share"` // Target/reference in the rounds' files. A value up to reference/Share is good.
	Worst float64 `json:"worst"` // times the reference: higher values are refused
}

// Good returns the largest good value for the target in a round's file.
func (i InvertedTarget) Good(target float64) float64 { return target * (1 / (i.Share * i.Share)) }

// Limit returns the largest accepted value for the target in a round's file.
func (i InvertedTarget) Limit(target float64) float64 { return target * (i.Worst / i.Share) }

// EndpointsMethod describes how the endpoints harness of MLPerf scores a metric, in the terms of its configuration.
type EndpointsMethod struct {
	API            string `json:"api"`    // its api_type; empty: that of the requests
	Method         string `json:"method"` // its eval_method
	GroundTruth    string `json:"ground_truth"`
	Extractor      string `json:"extractor"`       // empty: none
	ExtractorClass string `json:"extractor_class"` // name of the extractor in its results
	Dataset        string `json:"dataset"`         // name of the data set; empty: that of the run
	Percent        bool   `json:"percent"`         // the official unit is percent, but that harness scores from 0 to 1
}

// accuracyRow is a row of accuracy.json.
type accuracyRow struct {
	AccuracyMetric
	// Text is the pattern of the metric in accuracy.txt: the beginning of a line with the value as the only group. Former
	// is the pattern for the scripts of rounds before v5.0, if theirs was another one.
	Text   string `json:"text"`
	Former string `json:"former"`
	Note   string `json:"note"`
}

// textWords expands the words in the patterns of accuracy.json. Numbers may have the digits of all scripts, and blanks
// are those of Unicode.
var textWords = strings.NewReplacer(
	"NUMBER", numberPattern, "BLANK", blankPattern, "SPACED", blankPattern+`*`+numberPattern,
	"QUOTED", blankPattern+`+'?`+numberPattern,
)

const (
	numberPattern = `([\p{Nd}.]+)`
	blankPattern  = `[\s\v\x1c-\x1f\x{85}\p{Z}]`
)

// patternOf returns a function that compiles a pattern at its first call. It returns nil if text is empty.
func patternOf(text string) func() *regexp.Regexp {
	if text == "" {
		return nil
	}
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + textWords.Replace(text)) })
}

// ErrNoMetric means that no official metric has the given name.
var ErrNoMetric = errors.New("no official metric of accuracy")

// AccuracyMetricOf returns the official metric with a name, or ErrNoMetric.
func AccuracyMetricOf(name string) (AccuracyMetric, error) {
	table, err := accuracyTable()
	if err != nil {
		return AccuracyMetric{}, err
	}
	m, ok := table[name]
	if !ok {
		return AccuracyMetric{}, fmt.Errorf("%w is called %q: it has no row in accuracy.json", ErrNoMetric, name)
	}
	return m, nil
}

// AccuracyMetrics lists the names of all official metrics, sorted.
func AccuracyMetrics() ([]string, error) {
	table, err := accuracyTable()
	return slices.Sorted(maps.Keys(table)), err
}

// HasText reports whether the metric's form in accuracy.txt is known.
func (m AccuracyMetric) HasText() bool { return m.text != nil }

// In returns the text of the metric's value in a line of accuracy.txt. The text need not be a number ("76.4.6"). ok is
// false if the line does not contain the metric.
func (m AccuracyMetric) In(line string) (value string, ok bool) { return matchValue(m.text, line) }

// FormerIn is like In, but for the form of rounds before v5.0. has is false if these rounds had no other form.
func (m AccuracyMetric) FormerIn(line string) (value string, ok, has bool) {
	if m.former == nil {
		return "", false, false
	}
	value, ok = matchValue(m.former, line)
	return value, ok, true
}

func matchValue(pattern func() *regexp.Regexp, line string) (value string, ok bool) {
	if pattern == nil {
		return "", false
	}
	match := pattern().FindStringSubmatch(line)
	if match == nil {
		return "", false
	}
	return match[1], true
}

// accuracyTable returns the table in accuracy.json. It reads the file again only after the files have changed.
func accuracyTable() (map[string]AccuracyMetric, error) {
	generation := roundfiles.Generation()
	of, ok := accuracyTables.Load(generation)
	if !ok {
		of, _ = accuracyTables.LoadOrStore(generation, sync.OnceValues(readAccuracyTable))
	}
	read, _ := of.(func() (map[string]AccuracyMetric, error))
	return read()
}

// accuracyTables caches the tables by the files' generation.
var accuracyTables sync.Map

func readAccuracyTable() (map[string]AccuracyMetric, error) {
	var file struct {
		Metrics map[string]accuracyRow `json:"metrics"`
	}
	if err := decodeRules("accuracy", &file); err != nil {
		return nil, err
	}
	table := map[string]AccuracyMetric{}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(file.Metrics)) {
		row := file.Metrics[name]
		if err := row.checkRow(); err != nil {
			faults = append(faults, fmt.Errorf("rules accuracy, %s: %w", name, err))
		}
		m := row.AccuracyMetric
		m.Name, m.text, m.former = name, patternOf(row.Text), patternOf(row.Former)
		table[name] = m
	}
	return table, errors.Join(faults...)
}

// checkRow returns the faults of a row.
func (r accuracyRow) checkRow() error {
	var faults []error
	if !slices.Contains([]string{"higher", "lower", "neither"}, r.Better) {
		faults = append(faults, fmt.Errorf("better is %q, want higher, lower or neither", r.Better))
	}
	if r.Text == "" && r.Former != "" {
		faults = append(faults, errors.New("former without text"))
	}
	if r.Most < 0 {
		faults = append(faults, fmt.Errorf("most is %v, want at least 0", r.Most))
	}
	if e := r.Endpoints; e != nil && e.Method == "" {
		faults = append(faults, errors.New("endpoints has no method"))
	}
	if i := r.Inverted; i != nil && (i.Share <= 0 || i.Worst < 1) {
		faults = append(faults, fmt.Errorf("inverted is %+v, want a share above 0 and a worst from 1 on", *i))
	}
	return errors.Join(faults...)
}

// checkMetrics requires a row in accuracy.json for each metric in a round's file.
func (f *roundFile) checkMetrics() error {
	var faults []error
	known := map[string]bool{}
	want := func(model, metric string) {
		if !known[metric] {
			if _, err := AccuracyMetricOf(metric); err != nil {
				faults = append(faults, fmt.Errorf("model %s: %w", model, err))
			}
			known[metric] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Models)) {
		m := f.Models[name]
		for _, by := range []map[string][]metricPair{m.Targets, m.UpperLimits} {
			for _, scenario := range slices.Sorted(maps.Keys(by)) {
				for _, p := range by[scenario] {
					want(name, p.Metric)
				}
			}
		}
		for _, metric := range slices.Sorted(maps.Keys(m.DeltaPercent)) {
			want(name, metric)
		}
	}
	return errors.Join(faults...)
}
