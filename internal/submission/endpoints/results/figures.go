package results

import (
	"math"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// Values of files have the types of package pyvalue. A number comes from JSON or YAML, or from a text. nil means
// unknown.

// toNumber returns a value that is a number, with whole numbers unchanged, and nil otherwise.
func toNumber(v any) any {
	switch v := v.(type) {
	case nil, bool:
		return nil
	case string:
		if x, ok := pyfloat.Parse(v); ok {
			return x
		}
		return nil
	}
	if _, err := pyvalue.Float(v); err != nil {
		return nil
	}
	return v
}

// toFloat returns a number as a float64.
func toFloat(v any) (x float64, ok bool) {
	if v = toNumber(v); v == nil {
		return 0, false
	}
	x, err := pyvalue.Float(v)
	return x, err == nil
}

// numberField returns a number of an object.
func numberField(d *pyvalue.Dict, key string) any {
	v, _ := d.Get(key)
	return toNumber(v)
}

// metricPercentile returns a percentile of a metric, with a key such as "90" or "90.0".
func metricPercentile(summary *pyvalue.Dict, metric, percent string) any {
	block, _ := pyvalue.Field[*pyvalue.Dict](summary, metric)
	all, _ := pyvalue.Field[*pyvalue.Dict](block, "percentiles")
	for _, key := range []string{percent, percent + ".0"} {
		if v, ok := all.Get(key); ok {
			return toNumber(v)
		}
	}
	return nil
}

// toMillis converts nanoseconds to milliseconds.
func toMillis(ns any) any {
	x, ok := toFloat(ns)
	if !ok {
		return nil
	}
	return x / 1e6
}

// metricTotal returns the total of a metric.
func metricTotal(summary *pyvalue.Dict, metric string) any {
	block, _ := pyvalue.Field[*pyvalue.Dict](summary, metric)
	return numberField(block, "total")
}

// ratio returns a / b. It returns nil if one is unknown or b is 0, and NaN instead of 0 if b is infinite.
func ratio(a, b any) any {
	x, ok := toFloat(a)
	y, known := toFloat(b)
	if !ok || !known || y == 0 {
		return nil
	}
	if math.IsInf(y, 0) {
		return math.NaN()
	}
	return x / y
}

// runFigures contains a summary's figures of the whole run; nil: unknown.
type runFigures struct{ seconds, systemTPS, tpsPerUser, tpot, qps any }

// derive computes the figures by section 4.1 of the rules. Figures in the summary itself have precedence, because the
// check compares them with the derived ones.
func deriveFigures(summary *pyvalue.Dict) (f runFigures) {
	if ns := numberField(summary, "duration_ns"); isNonzero(ns) {
		f.seconds = ratio(ns, 1e9)
	}
	f.tpot = toMillis(metricPercentile(summary, "tpot", "90"))
	stated := func(name string, derived any) any {
		if v := numberField(summary, name); v != nil {
			return v
		}
		return derived
	}
	f.systemTPS = stated("system_tps", ratio(metricTotal(summary, "output_sequence_lengths"), f.seconds))
	f.tpsPerUser = stated("tps_per_user", ratio(1000.0, f.tpot))
	f.qps = stated("qps", ratio(numberField(summary, "n_samples_completed"), f.seconds))
	return f
}

// roundedText returns a number as a text, rounded to four decimals.
func roundedText(v any) string {
	switch x := v.(type) {
	case float64:
		return pyvalue.Text(pyfloat.Round(x, 4))
	case bool:
		if x {
			return "1"
		}
		return "0"
	}
	return pyvalue.Text(v)
}
