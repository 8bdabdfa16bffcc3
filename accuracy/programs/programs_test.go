package programs

import (
	"encoding/json"
	"testing"
	"time"
)

func TestJobs(t *testing.T) {
	for _, x := range []struct {
		name  string
		job   Job
		want  string
		limit time.Duration
	}{
		{"stdin", LiveCodeBench("print(\"é\")", Tests{Inputs: []string{"a", "b"}, Outputs: []string{"c"}}, time.Minute),
			`{"kind":"stdin","code":"print(\"é\")","function":"","inputs":["a","b"],"outputs":["c"],"timeout":60,"limit":127}`,
			127 * time.Second},
		{"call", LiveCodeBench("x", Tests{Function: "f"}, 2*time.Second),
			`{"kind":"call","code":"x","function":"f","inputs":[],"outputs":[],"timeout":2,"limit":5}`, 5 * time.Second},
		{"check", MXEval("def f(): pass", "def check(c): c()", "f"),
			`{"kind":"check","code":"def f(): pass\ndef check(c): c()\ncheck(f)","function":"","inputs":[],"outputs":[],` +
				`"timeout":20,"limit":21}`, 21 * time.Second},
	} {
		if got := string(x.job.Input()); got != x.want || x.job.Limit() != x.limit {
			t.Errorf("%s: %s, %v, want %s, %v", x.name, got, x.job.Limit(), x.want, x.limit)
		}
	}
}

func TestJudge(t *testing.T) {
	for output, want := range map[string]string{
		`{"passed": true, "results": [true, true], "code": 0, "error": ""}`:            "passed",
		`{"passed": false, "results": [true, -2], "code": -2, "error": ""}`:            "test 2 is wrong",
		`{"passed": false, "results": [false], "code": -2, "error": ""}`:               "test 1 is wrong",
		`{"passed": false, "results": [-3], "code": -3, "error": "x"}`:                 "test 1 took too long",
		`{"passed": false, "results": [-4], "code": -4, "error": "ValueError('x')"}`:   "test 1: ValueError('x')",
		`{"passed": false, "results": [-4], "code": -4}`:                               "test 1",
		`{"passed": false, "results": [-2], "code": -5, "error": "nothing came back"}`: "no result: nothing came back",
		``:                                "no result: it was killed",
		`{"passed": true, "results": [tr`: "no result: it was killed",
	} {
		if v := Judge([]byte(output), "it was killed"); v.String() != want || v.Passed != (want == "passed") {
			t.Errorf("%s: %v, %v, want %s", output, v, v.Passed, want)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add([]byte(`{"passed": true, "results": [true, -2, null, 1e999], "code": -4, "error": "x"}`))
	f.Fuzz(func(t *testing.T, output []byte) {
		v := Judge(output, "it was killed")
		if v.String() == "" {
			t.Error("no words")
		}
		if v.Passed && !json.Valid(output) {
			t.Errorf("%q passes", output)
		}
	})
}
