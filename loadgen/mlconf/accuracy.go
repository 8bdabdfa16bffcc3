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

// AccuracyMetric is an official metric of accuracy: all that is known of it, for everybody who reads or writes one.
// Its row is in accuracy.json, beside the rounds' files. Nobody changes what it points to.
type AccuracyMetric struct {
	Name string `json:"-"` // as the targets of the rounds have it: "acc", "ROUGE1"
	// Unit is that of the value in results: "%", "characters". What a script prints may be a share of 1.
	Unit   string `json:"unit"`
	Better string `json:"better"` // which way it improves: "higher", "lower" or "neither"
	// About says what it measures, in a sentence without a full stop, and Formula how it is computed. Code is what
	// computes it in this project, behind the path of its package: "accuracy/topk.New"; empty: nothing does.
	About   string `json:"about"`
	Formula string `json:"formula"`
	Code    string `json:"code"`
	// Most is the largest value that there can be, as scripts print it; 0: there is no bound.
	Most float64 `json:"most"`
	// Unprepared says that the checker behind the official preparation tool cannot read it.
	Unprepared bool `json:"unprepared"`
	// Inverted is of a metric that the official checker compares the wrong way round; nil: of others.
	Inverted *InvertedTarget `json:"inverted"`
	// Endpoints is how the endpoints harness scores it; nil: it does not.
	Endpoints *EndpointsMethod `json:"endpoints"`

	text, former func() *regexp.Regexp // nil: not known
}

// InvertedTarget is how far a metric may be from its reference where lower is better, though the official checker wants
// it to be above a share of it.
type InvertedTarget struct {
	Share float64 `json:"share"` // of the reference: the target in the rounds' files; what is good is reference/Share
	Worst float64 `json:"worst"` // times the reference: what is refused above
}

// Good and Limit are the largest values that are good, and that are not refused, by the target in a round's file.
func (i InvertedTarget) Good(target float64) float64 { return target * (1 / (i.Share * i.Share)) }

// Limit is the largest value that is not refused, by the target in a round's file.
func (i InvertedTarget) Limit(target float64) float64 { return target * (i.Worst / i.Share) }

// EndpointsMethod is how the endpoints harness of MLPerf scores a metric, in the words of its configuration.
type EndpointsMethod struct {
	API            string `json:"api"`    // its api_type; empty: that of the requests
	Method         string `json:"method"` // its eval_method
	GroundTruth    string `json:"ground_truth"`
	Extractor      string `json:"extractor"`       // empty: none
	ExtractorClass string `json:"extractor_class"` // in its results
	Dataset        string `json:"dataset"`         // the name of the data set; empty: that of the run
	Percent        bool   `json:"percent"`         // the official unit is percent, that harness's score from 0 to 1
}

// accuracyRow is a row of accuracy.json.
type accuracyRow struct {
	AccuracyMetric
	// Text is how the benchmarks' scripts print it in accuracy.txt: the beginning of a line, with the value as its one
	// group. Former is the one form that scripts of rounds before v5.0 had, where it is not that one.
	Text   string `json:"text"`
	Former string `json:"former"`
	Note   string `json:"note"`
}

// textWords are the words in the patterns of accuracy.json: numbers have the digits of all scripts, blanks are those of
// Unicode.
var textWords = strings.NewReplacer(
	"NUMBER", number, "BLANK", blank, "SPACED", blank+`*`+number, "QUOTED", blank+`+'?`+number,
)

const (
	number = `([\p{Nd}.]+)`
	blank  = `[\s\v\x1c-\x1f\x{85}\p{Z}]`
)

// patternOf compiles a pattern when it is first asked for; nil: there is none.
func patternOf(text string) func() *regexp.Regexp {
	if text == "" {
		return nil
	}
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^` + textWords.Replace(text)) })
}

// ErrNoMetric is the error of a name that no official metric has.
var ErrNoMetric = errors.New("no official metric of accuracy")

// AccuracyMetricOf is the official metric of a name, or ErrNoMetric.
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

// HasText says whether it is known how scripts print the metric in accuracy.txt.
func (m AccuracyMetric) HasText() bool { return m.text != nil }

// In is what a line of accuracy.txt says of the metric: the text of its value, which need not be a number ("76.4.6").
// ok is false where the line does not speak of it.
func (m AccuracyMetric) In(line string) (value string, ok bool) { return valueIn(m.text, line) }

// FormerIn is In by the one form that scripts of rounds before v5.0 had; has is false where theirs was no other one.
func (m AccuracyMetric) FormerIn(line string) (value string, ok, has bool) {
	if m.former == nil {
		return "", false, false
	}
	value, ok = valueIn(m.former, line)
	return value, ok, true
}

func valueIn(pattern func() *regexp.Regexp, line string) (value string, ok bool) {
	if pattern == nil {
		return "", false
	}
	match := pattern().FindStringSubmatch(line)
	if match == nil {
		return "", false
	}
	return match[1], true
}

// accuracyTable reads accuracy.json, once for each state of the files.
func accuracyTable() (map[string]AccuracyMetric, error) {
	generation := roundfiles.Generation()
	of, ok := accuracyTables.Load(generation)
	if !ok {
		of, _ = accuracyTables.LoadOrStore(generation, sync.OnceValues(readAccuracyTable))
	}
	read, _ := of.(func() (map[string]AccuracyMetric, error))
	return read()
}

// accuracyTables are the tables that were read: by the files' generation.
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

// checkRow says what of a row nobody could read.
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

// checkMetrics wants a row for each metric that a round's file names.
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
