package check

import (
	"fmt"
	"math"
	"math/big"
	"path"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// pointAccuracy contains a point's accuracy, with an entry per data set.
type pointAccuracy struct {
	names   []string
	entries map[string]*pyvalue.Dict
}

// performanceType is the dataset_type of scores that the client computes from the performance run itself.
const performanceType = "performance"

// loadAccuracy reads the accuracy of a point. It returns nil if there is none or it is invalid.
func (c *submissionChecker) loadAccuracy(p *curvePoint) *pointAccuracy {
	const rule = "accuracy-valid"
	file := path.Join(p.dir, accuracyFile)
	if c.fileExists(file) {
		v, err := c.readJSON(file)
		if err != nil {
			c.addRow(rule, Error, file, "%s cannot be read: %v", accuracyFile, err)
			return nil
		}
		return c.newAccuracy(v, file)
	}
	file = path.Join(p.dir, resultsFile)
	scores, _ := c.readObject(file).Get("accuracy_scores")
	switch v := scores.(type) {
	case nil:
		return nil
	case []any:
		if len(v) == 0 {
			return nil
		}
	case *pyvalue.Dict:
		if len(v.Keys()) == 0 {
			return nil
		}
	}
	whole := pyvalue.NewDict()
	whole.Set("accuracy_scores", scores)
	return c.newAccuracy(whole, file)
}

// newAccuracy reads entries by data set, or the client's list of entries.
func (c *submissionChecker) newAccuracy(v any, file string) *pointAccuracy {
	const rule = "accuracy-valid"
	fail := func(format string, args ...any) *pointAccuracy {
		c.addRow(rule, Error, file, path.Base(file)+": "+format, args...)
		return nil
	}
	if d, ok := v.(*pyvalue.Dict); ok {
		if scores, there := d.Get("accuracy_scores"); there {
			v = scores
			_, isDict := v.(*pyvalue.Dict)
			if _, isList := v.([]any); !isDict && !isList {
				return fail("accuracy_scores holds neither an object nor a list")
			}
		}
	}
	if list, ok := v.([]any); ok {
		d, err := indexByDataset(list)
		if err != nil {
			return fail("%v", err)
		}
		v = d
	}
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		return fail("want an object, found %s", pyvalue.Name(v))
	}
	a := &pointAccuracy{entries: map[string]*pyvalue.Dict{}}
	good, typed := true, 0
	for _, name := range d.Keys() {
		value, _ := d.Get(name)
		entry, ok := value.(*pyvalue.Dict)
		if !ok {
			good = false
			fail("%s: want an object, found %s", name, pyvalue.Name(value))
			continue
		}
		a.names = append(a.names, name)
		a.entries[name] = entry
		if kind, _ := entry.Get("dataset_type"); kind == performanceType {
			typed++
		}
	}
	switch {
	case !good:
		return nil
	case typed > 1:
		return fail("%d entries have the dataset_type performance, want one", typed)
	case len(a.names) == 0:
		c.addRow(rule, Error, "", "%s has no entry", path.Base(file))
		return nil
	}
	return a
}

// indexByDataset converts the client's list to entries by data set.
func indexByDataset(list []any) (*pyvalue.Dict, error) {
	all := pyvalue.NewDict()
	for _, one := range list {
		entry, ok := one.(*pyvalue.Dict)
		if !ok {
			return nil, fmt.Errorf("an entry is %s, want an object", pyvalue.Name(one))
		}
		name, _ := pyvalue.Field[string](entry, "dataset_name")
		if strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("an entry has no dataset_name")
		}
		if _, twice := all.Get(name); twice {
			return nil, fmt.Errorf("the data set %q is there twice", name)
		}
		if _, scored := entry.Get("score"); !scored {
			return nil, fmt.Errorf("the data set %q has no score", name)
		}
		for _, alias := range [][2]string{{"unit_samples", "num_samples"}, {"num_repeats", "n_repeats"}} {
			v, there := entry.Get(alias[0])
			if other, both := entry.Get(alias[1]); there && both && !pyvalue.Same(v, other) {
				return nil, fmt.Errorf("the data set %q: %s and %s contradict each other", name, alias[0], alias[1])
			}
			if there {
				entry = withKey(entry, alias[1], v)
			}
		}
		all.Set(name, entry)
	}
	return all, nil
}

// inlineEntry returns the name of the entry scored on the performance run. ok is false if there is none.
func (a *pointAccuracy) inlineEntry() (name string, ok bool) {
	if a == nil {
		return "", false
	}
	for _, name := range a.names {
		if kind, _ := a.entries[name].Get("dataset_type"); kind == performanceType {
			return name, true
		}
	}
	if older, there := a.entries[performanceType]; there {
		if _, typed := older.Get("dataset_type"); !typed {
			return performanceType, true
		}
	}
	return "", false
}

// hasAccuracyRun reports whether there is an entry of an accuracy run, apart from the inline score.
func (a *pointAccuracy) hasAccuracyRun() bool {
	name, inline := a.inlineEntry()
	return a != nil && slices.ContainsFunc(a.names, func(n string) bool { return !inline || n != name })
}

// notMetrics lists the keys of an entry that are not metrics.
var notMetrics = []string{"dataset_name", "num_samples", "status", "extractor", "ground_truth_column", "n_repeats",
	"complete", "unit_samples", "total_samples", "num_repeats", "duration_s", "dataset_type", "response_counts"}

// namedMetric is a metric and its value.
type namedMetric struct {
	name  string
	value float64
}

// entryMetrics returns the metrics of an entry in order. It skips values that are not numbers.
func (a *pointAccuracy) entryMetrics(name string) (all []namedMetric) {
	entry := a.entries[name]
	add := func(name string, v any) {
		if x, err := pyvalue.Float(v); err == nil {
			all = append(all, namedMetric{name, x})
		}
	}
	switch score, _ := entry.Get("score"); s := score.(type) {
	case *pyvalue.Dict:
		for _, key := range s.Keys() {
			v, _ := s.Get(key)
			add(key, v)
		}
	case nil:
		for _, key := range entry.Keys() {
			if v, _ := entry.Get(key); !slices.Contains(notMetrics, key) {
				add(key, v)
			}
		}
	default:
		add("score", s)
	}
	return all
}

// datasetScore returns the score of a data set, or else its first metric.
func (a *pointAccuracy) datasetScore(name string) (x float64, ok bool) {
	if _, there := a.entries[name]; !there {
		return 0, false
	}
	all := a.entryMetrics(name)
	for _, m := range all {
		if m.name == "score" {
			return m.value, true
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	return all[0].value, true
}

// issuedSamples returns the number of issued samples, including repeats. known is false if no entry contains it.
func (a *pointAccuracy) issuedSamples() (total *big.Int, known bool) {
	total = new(big.Int)
	for _, name := range a.names {
		v, _ := a.entries[name].Get("num_samples")
		if v == nil {
			continue
		}
		n, err := pyvalue.Int(v)
		if err != nil {
			continue
		}
		repeats := big.NewInt(1)
		if r, _ := a.entries[name].Get("n_repeats"); pyvalue.IsTrue(r) {
			if times, err := pyvalue.Int(r); err == nil && times.Sign() > 0 {
				repeats = times
			}
		}
		total.Add(total, n.Mul(n, repeats))
		known = true
	}
	return total, known
}

// mergedMetrics returns the metrics over all data sets, weighted by their samples if all entries contain them.
func (a *pointAccuracy) mergedMetrics() (all []namedMetric) {
	type part struct{ sum, weights, weighted, n float64 }
	parts := map[string]*part{}
	var order []string
	for _, name := range a.names {
		v, _ := a.entries[name].Get("num_samples")
		weight, err := pyvalue.Float(v)
		if v == nil || err != nil {
			weight = math.NaN()
		}
		for _, m := range a.entryMetrics(name) {
			p := parts[m.name]
			if p == nil {
				p = &part{}
				parts[m.name], order = p, append(order, m.name)
			}
			p.sum += m.value
			p.n++
			p.weights += weight
			p.weighted += m.value * weight
		}
	}
	for _, name := range order {
		p := parts[name]
		value := p.sum / p.n
		if p.weights > 0 { // weights are 0 if one is unknown
			value = p.weighted / p.weights
		}
		all = append(all, namedMetric{name, value})
	}
	return all
}
