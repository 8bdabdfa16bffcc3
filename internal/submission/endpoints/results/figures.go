package results

import (
	"math"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// Values of files are as package pyvalue has them. A number is one of JSON or YAML, or a text of one; nil is none.

// number is a value that is a number, with whole numbers as they are; nil of others.
func number(v any) any {
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

// float is a number as a double.
func float(v any) (x float64, ok bool) {
	if v = number(v); v == nil {
		return 0, false
	}
	x, err := pyvalue.Float(v)
	return x, err == nil
}

// field is an object's number.
func field(d *pyvalue.Dict, key string) any {
	v, _ := d.Get(key)
	return number(v)
}

// percentile is one of a metric's, under a key as "90" or "90.0".
func percentile(summary *pyvalue.Dict, metric, percent string) any {
	block, _ := pyvalue.Field[*pyvalue.Dict](summary, metric)
	all, _ := pyvalue.Field[*pyvalue.Dict](block, "percentiles")
	for _, key := range []string{percent, percent + ".0"} {
		if v, ok := all.Get(key); ok {
			return number(v)
		}
	}
	return nil
}

// millis is a time in ms, of one in ns.
func millis(ns any) any {
	x, ok := float(ns)
	if !ok {
		return nil
	}
	return x / 1e6
}

// total is the sum of a metric.
func total(summary *pyvalue.Dict, metric string) any {
	block, _ := pyvalue.Field[*pyvalue.Dict](summary, metric)
	return field(block, "total")
}

// ratio is a / b; nil where one is not known, or b is 0. Of a b that is not finite it is NaN, and not 0.
func ratio(a, b any) any {
	x, ok := float(a)
	y, known := float(b)
	if !ok || !known || y == 0 {
		return nil
	}
	if math.IsInf(y, 0) {
		return math.NaN()
	}
	return x / y
}

// figures are what a summary says of the whole run, nil where it does not.
type figures struct{ seconds, systemTPS, tpsPerUser, tpot, qps any }

// derive works the figures out by section 4.1 of the rules. One that the summary states itself counts as it is: the
// check compares it with the derived one.
func derive(summary *pyvalue.Dict) (f figures) {
	if ns := field(summary, "duration_ns"); nonzero(ns) {
		f.seconds = ratio(ns, 1e9)
	}
	f.tpot = millis(percentile(summary, "tpot", "90"))
	stated := func(name string, derived any) any {
		if v := field(summary, name); v != nil {
			return v
		}
		return derived
	}
	f.systemTPS = stated("system_tps", ratio(total(summary, "output_sequence_lengths"), f.seconds))
	f.tpsPerUser = stated("tps_per_user", ratio(1000.0, f.tpot))
	f.qps = stated("qps", ratio(field(summary, "n_samples_completed"), f.seconds))
	return f
}

// rounded is a number to four decimals, as text.
func rounded(v any) string {
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
