package programs

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestJobs(t *testing.T) {
	for _, x := range []struct {
		name         string
		job          Job
		task, wanted string
		limit        time.Duration
	}{
		{"stdin", LiveCodeBench("print(\"é\")", TestCases{Inputs: []string{"a", "b"}, Outputs: []string{"c"}}, time.Minute),
			`{"kind":"stdin","code":"print(\"é\")","function":"","inputs":["a","b"],"count":1,"timeout":60,"limit":127}`,
			`{"outputs":["c"],"tests":""}`, 127 * time.Second},
		{"call", LiveCodeBench("x", TestCases{Function: "f"}, 2*time.Second),
			`{"kind":"call","code":"x","function":"f","inputs":[],"count":0,"timeout":2,"limit":5}`,
			`{"outputs":[],"tests":""}`, 5 * time.Second},
		{"check", MXEval("def f(): pass", "def check(c): c()", "f"),
			`{"kind":"check","code":"def f(): pass","function":"f","inputs":[],"count":0,"timeout":20,"limit":21}`,
			`{"outputs":[],"tests":"def check(c): c()"}`, 21 * time.Second},
	} {
		task, wanted := pieces(t, x.job.DriverInput())
		if task != x.task || wanted != x.wanted || x.job.TimeLimit() != x.limit {
			t.Errorf("%s: %s, %s, %v, want %s, %s, %v", x.name, task, wanted, x.job.TimeLimit(), x.task, x.wanted, x.limit)
		}
	}
}

// pieces returns the two parts of a job's input.
func pieces(t *testing.T, input []byte) (task, wanted string) {
	t.Helper()
	var all []string
	for len(input) > 0 {
		head, rest, _ := strings.Cut(string(input), "\n")
		n, err := strconv.Atoi(head)
		if err != nil || n > len(rest) {
			t.Fatalf("%q is no length of a part", head)
		}
		all, input = append(all, strings.TrimSuffix(rest[:n], "\n")), []byte(rest[n:])
	}
	if len(all) != 2 {
		t.Fatalf("%d parts, want 2", len(all))
	}
	return all[0], all[1]
}

// TestDriver checks that the two files form one script, which imports only modules that every interpreter has.
func TestDriver(t *testing.T) {
	if !strings.Contains(driver, "\n"+importExchange) || strings.Contains(Driver, "exchange import") {
		t.Errorf("the driver has to have the line %q, and the script not", importExchange)
	}
}

func TestJudge(t *testing.T) {
	const own = "passed by an == of its own, which calls its value equal to everything"
	for output, want := range map[string]string{
		`{"passed": true, "results": [true, true], "code": 0, "error": ""}`:            "passed",
		`{"passed": true, "results": [true], "code": 0, "error": "", "own": true}`:     own,
		`{"passed": false, "results": [true, -2], "code": -2, "error": ""}`:            "test 2 is wrong",
		`{"passed": false, "results": [false], "code": -2, "error": ""}`:               "test 1 is wrong",
		`{"passed": false, "results": [-3], "code": -3, "error": "x"}`:                 "test 1 took too long",
		`{"passed": false, "results": [-4], "code": -4, "error": "ValueError('x')"}`:   "test 1: ValueError('x')",
		`{"passed": false, "results": [-4], "code": -4}`:                               "test 1",
		`{"passed": false, "results": [-2], "code": -5, "error": "nothing came back"}`: "no result: nothing came back",
		``:                                "no result: it was killed",
		`{"passed": true, "results": [tr`: "no result: it was killed",
		`{"passed": true, "results": [true], "code": -4, "error": ""}`:       "no result: it was killed",
		`{"passed": true, "results": [], "code": 0}{"passed": false}`:        "no result: it was killed",
		`{"passed": true, "results": [], "code": 0, "error": ""}x`:           "no result: it was killed",
		`{"passed": true, "results": [], "code": 0, "error": "", "more": 1}`: "no result: it was killed",
	} {
		v := ReadVerdict([]byte(output), 0, "it was killed")
		if v.String() != want || v.Passed != strings.HasPrefix(want, "passed") {
			t.Errorf("%s: %v, %v, want %s", output, v, v.Passed, want)
		}
		for _, code := range []int{1, -1, 137} {
			if v := ReadVerdict([]byte(output), code, "it was killed"); v.Passed || v.Code != NoResult {
				t.Errorf("%s with code %d: %+v, want no result", output, code, v)
			}
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add([]byte(`{"passed": true, "results": [true, -2, null, 1e999], "code": -4, "error": "x"}`))
	f.Fuzz(func(t *testing.T, output []byte) {
		v := ReadVerdict(output, 0, "it was killed")
		if v.String() == "" {
			t.Error("no words")
		}
		if v.Passed && !json.Valid(output) {
			t.Errorf("%q passes", output)
		}
	})
}
