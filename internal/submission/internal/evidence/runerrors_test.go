package evidence

import (
	"bytes"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// TestRunErrors: that a run ended at its max_query_count is no error where all queries were issued and answered.
func TestRunErrors(t *testing.T) {
	const ended = "IssueQueryThread 0 Ending early: Max query count reached. query_count 990"
	const runtime = "error_runtime"
	type values map[string]any
	for name, c := range map[string]struct {
		message string
		key     string
		log     values // beside, or in place of, those of a run of 990 queries
		remark  bool
	}{
		"all issued": {ended, runtime, nil, true},
		"of another thread": {
			"IssueQueryThread 12 Ending early: Max query count reached. query_count 82", runtime, nil, true},
		"more answered":        {ended, runtime, values{"result_query_count": 991}, true},
		"fewer answered":       {ended, runtime, values{"result_query_count": 989}, false},
		"more were generated":  {ended, runtime, values{"generated_query_count": 1000}, false},
		"fewer than it had to": {ended, runtime, values{"effective_min_query_count": 1000}, false},
		"no count of answers":  {ended, runtime, values{"result_query_count": nil}, false},
		"no count of queries":  {ended, runtime, values{"generated_query_count": nil}, false},
		"a count is text":      {ended, runtime, values{"result_query_count": "many"}, false},
		"nothing was issued": {ended, runtime, values{"result_query_count": 0, "generated_query_count": 0,
			"effective_min_query_count": 0}, false},
		"at its duration": {
			"IssueQueryThread 0 Ending early: Max test duration reached. duration_ns 5", runtime, nil, false},
		"another key":              {ended, "error_invalid_config", nil, false},
		"something before":         {"x " + ended, runtime, nil, false},
		"something behind":         {ended + " of 1000", runtime, nil, false},
		"too many async queries":   {"Ending early: Too many outstanding queries.", runtime, nil, false},
		"the official old wording": {"Ending early: Max query count reached.", runtime, nil, false},
	} {
		log := values{"result_query_count": 990, "generated_query_count": 990, "effective_min_query_count": 990}
		for key, v := range c.log {
			log[key] = v
		}
		var text []byte
		for key, v := range log {
			if v != nil {
				text = mllog.AppendDetail(text, mllog.DetailEntry{Key: key, Value: v})
			}
		}
		text = mllog.AppendDetail(text, mllog.DetailEntry{Key: c.key, Value: c.message, Error: true})
		d, err := mllog.ScanDetail(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		all, remarks := RunErrors(d)
		if len(all)+len(remarks) != 1 || len(remarks) == 1 != c.remark {
			t.Errorf("%s: %d errors, %d remarks", name, len(all), len(remarks))
		}
	}
}
