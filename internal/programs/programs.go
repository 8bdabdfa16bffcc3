package programs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Driver is a Python script that judges a Job. It requires Python 3.9 or later and a system with fork, and reads the
// Job's DriverInput from its standard input.
var Driver = exchange + strings.Replace(driver, importExchange, "", 1)

// The two parts of Driver. They are separate files so that they can be read and checked as Python.
var (
	//go:embed exchange.py
	exchange string
	//go:embed driver.py
	driver string
)

const importExchange = "from exchange import Failure, Gone, Peer, TimeoutException, Verdict\n"

// TestCases are the tests of a problem of LiveCodeBench.
type TestCases struct {
	// Function is the function, or the method of Solution, to be called with Inputs, which contain one JSON value per
	// line. If it is empty, the program reads an input from standard input and prints an output.
	Function        string
	Inputs, Outputs []string // the shorter slice determines the number of tests
}

// Job is a program with its tests.
type Job struct {
	task     driverTask
	expected expectedOutput
}

// driverTask is the part of a job that the program's process may know.
type driverTask struct {
	Kind     string   `json:"kind"`
	Code     string   `json:"code"`
	Function string   `json:"function"`
	Inputs   []string `json:"inputs"`
	Count    int      `json:"count"`   // number of inputs with an output
	Timeout  int      `json:"timeout"` // seconds for each test
	Limit    int      `json:"limit"`   // seconds for all tests
}

// expectedOutput is the part of a job for the judging process. That process forks the program's process before it reads
// this part.
type expectedOutput struct {
	Outputs []string `json:"outputs"`
	Tests   string   `json:"tests"`
}

// LiveCodeBench returns a job for a program with tests of LiveCodeBench. perTest limits the time of each test, in whole
// seconds; the official scripts use 60.
func LiveCodeBench(source string, t TestCases, perTest time.Duration) Job {
	seconds := int(perTest / time.Second)
	kind := "stdin"
	if t.Function != "" {
		kind = "call"
	}
	return Job{driverTask{
		Kind: kind, Code: source, Function: t.Function, Inputs: append([]string{}, t.Inputs...),
		Count: min(len(t.Inputs), len(t.Outputs)), Timeout: seconds, Limit: (seconds+1)*len(t.Inputs) + 5,
	}, expectedOutput{Outputs: append([]string{}, t.Outputs...)}}
}

// mxevalSeconds is the time limit that the official script of Mixtral 8x7B passes to mxeval.
const mxevalSeconds = 20

// MXEval returns a job for a Python program with the tests of a task of MBXP. The tests define a function check; the
// driver calls it with the task's function.
func MXEval(source, tests, function string) Job {
	return Job{driverTask{
		Kind: "check", Code: source, Function: function, Inputs: []string{}, Timeout: mxevalSeconds, Limit: mxevalSeconds + 1,
	}, expectedOutput{Outputs: []string{}, Tests: tests}}
}

// DriverInput returns the input of the driver: the task and the expected output, each after a line with its length in
// bytes.
func (j Job) DriverInput() []byte {
	var b bytes.Buffer
	for _, part := range []any{j.task, j.expected} {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if err := e.Encode(part); err != nil {
			panic(err) // texts and numbers can always be encoded
		}
		fmt.Fprintf(&b, "%d\n%s", text.Len(), text.Bytes())
	}
	return b.Bytes()
}

// TimeLimit returns the time limit of the rules for the whole program. The driver enforces it. It does not include the
// driver's start.
func (j Job) TimeLimit() time.Duration { return time.Duration(j.task.Limit) * time.Second }

// Codes of a TestVerdict, equal to those of the official checker of LiveCodeBench.
const (
	WrongAnswer     = -2
	TimedOut        = -3
	RaisedException = -4
	NoResult        = -5 // no result: the program exited or was killed
)

// TestVerdict is the driver's verdict on a job.
type TestVerdict struct {
	Passed bool
	// Results contains the results of the tests up to the first failure: true, false or a code. A program can also
	// produce other numbers.
	Results []any
	Code    int    // 0: no failure
	Error   string // message of an exception in Python's words, up to 200 characters
	// Own means that the program passed by an == operator of its own class that accepts any value. The official checker
	// counts this as passed.
	Own bool
}

// ReadVerdict reads the driver's output. If the driver ended with a code other than 0, or its output is not exactly one
// verdict, the result has the code NoResult and the error how, the reason for the driver's end.
func ReadVerdict(output []byte, code int, reason string) TestVerdict {
	var v TestVerdict
	d := json.NewDecoder(bytes.NewReader(output))
	d.DisallowUnknownFields()
	if code != 0 || d.Decode(&v) != nil || d.More() || v.Passed && v.Code != 0 {
		return TestVerdict{Results: []any{float64(WrongAnswer)}, Code: NoResult, Error: reason}
	}
	return v
}

// String describes the verdict in words.
func (v TestVerdict) String() string {
	at := fmt.Sprintf("test %d", len(v.Results))
	switch {
	case v.Passed && v.Own:
		return "passed by an == of its own, which calls its value equal to everything"
	case v.Passed:
		return "passed"
	case v.Code == TimedOut:
		return at + " took too long"
	case v.Code == RaisedException:
		return strings.TrimSuffix(at+": "+v.Error, ": ")
	case v.Code == NoResult:
		return "no result: " + v.Error
	}
	return at + " is wrong"
}
