package programs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Driver is a script for Python 3.9 or newer, on a system with fork: it reads a Job's DriverInput on its standard
// input.
var Driver = exchange + strings.Replace(driver, importExchange, "", 1)

// The two parts of Driver, which are files of their own for those who read and check them.
var (
	//go:embed exchange.py
	exchange string
	//go:embed driver.py
	driver string
)

const importExchange = "from exchange import Failure, Gone, Peer, TimeoutException, Verdict\n"

// TestCases are the tests of a problem of LiveCodeBench.
type TestCases struct {
	// Function is the method of Solution, or the function, that is called with Inputs: a JSON value in each line. Empty:
	// the program reads an input, and prints an output.
	Function        string
	Inputs, Outputs []string // the shorter one says how many there are
}

// Job is one program with its tests.
type Job struct {
	task   driverTask
	wanted expectedOutput
}

// driverTask is what the process of the program knows of a job.
type driverTask struct {
	Kind     string   `json:"kind"`
	Code     string   `json:"code"`
	Function string   `json:"function"`
	Inputs   []string `json:"inputs"`
	Count    int      `json:"count"`   // of inputs that have an output
	Timeout  int      `json:"timeout"` // seconds of each test
	Limit    int      `json:"limit"`   // seconds of all
}

// expectedOutput is what the judging process knows, which has let the program's process go before it reads this.
type expectedOutput struct {
	Outputs []string `json:"outputs"`
	Tests   string   `json:"tests"`
}

// LiveCodeBench is a program with tests of LiveCodeBench; each may take perTest, in whole seconds, of which the
// official scripts give 60.
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

// mxevalSeconds is the time of a program that the official script of Mixtral 8x7B gives to mxeval.
const mxevalSeconds = 20

// MXEval is a program in Python with the tests of a task of MBXP: a function check, which is called with the function
// that the task is about.
func MXEval(source, tests, function string) Job {
	return Job{driverTask{
		Kind: "check", Code: source, Function: function, Inputs: []string{}, Timeout: mxevalSeconds, Limit: mxevalSeconds + 1,
	}, expectedOutput{Outputs: []string{}, Tests: tests}}
}

// DriverInput is what the driver reads: the task and what is wanted, each behind a line with its length in bytes.
func (j Job) DriverInput() []byte {
	var b bytes.Buffer
	for _, part := range []any{j.task, j.wanted} {
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if err := e.Encode(part); err != nil {
			panic(err) // texts and numbers have a form in JSON
		}
		fmt.Fprintf(&b, "%d\n%s", text.Len(), text.Bytes())
	}
	return b.Bytes()
}

// TimeLimit is the time that the rules give to the whole program. The driver keeps it; its start is not part of it.
func (j Job) TimeLimit() time.Duration { return time.Duration(j.task.Limit) * time.Second }

// Codes of a TestVerdict, as the official checker of LiveCodeBench has them.
const (
	Wrong     = -2
	Late      = -3
	Exception = -4
	Nothing   = -5 // no result: the program ended itself, or was ended
)

// TestVerdict is what a job's driver says.
type TestVerdict struct {
	Passed bool
	// Results are those of the tests up to the first failure: true; or false or a code. Programs can make other numbers.
	Results []any
	Code    int    // 0: there was no failure
	Error   string // of an exception, in Python's words: at most 200 characters
	// Own says that it passed by an == of its own class, which calls a value equal to everything: the official checker
	// believes it.
	Own bool
}

// ReadVerdict reads what the driver has printed of a job, and the code that it ended with. One that ended with another
// code than 0, or printed anything but one verdict, has said nothing: how says what ended it.
func ReadVerdict(output []byte, code int, how string) TestVerdict {
	var v TestVerdict
	d := json.NewDecoder(bytes.NewReader(output))
	d.DisallowUnknownFields()
	if code != 0 || d.Decode(&v) != nil || d.More() || v.Passed && v.Code != 0 {
		return TestVerdict{Results: []any{float64(Wrong)}, Code: Nothing, Error: how}
	}
	return v
}

// String says in words how it went.
func (v TestVerdict) String() string {
	at := fmt.Sprintf("test %d", len(v.Results))
	switch {
	case v.Passed && v.Own:
		return "passed by an == of its own, which calls its value equal to everything"
	case v.Passed:
		return "passed"
	case v.Code == Late:
		return at + " took too long"
	case v.Code == Exception:
		return strings.TrimSuffix(at+": "+v.Error, ": ")
	case v.Code == Nothing:
		return "no result: " + v.Error
	}
	return at + " is wrong"
}
