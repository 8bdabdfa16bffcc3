package host

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
)

func ids(list ...loadgen.ResponseID) []loadgen.QuerySampleResponse {
	rs := make([]loadgen.QuerySampleResponse, len(list))
	for i, id := range list {
		rs[i].ID = id
	}
	return rs
}

func TestAnsweredCountsDistinctIssuedIDs(t *testing.T) {
	var a answeredSet
	for _, c := range []struct {
		test, limit    uint64
		rs             []loadgen.QuerySampleResponse
		count, missing uint64
	}{
		{0, 200, ids(0, 1, 3), 3, 2},
		{0, 200, ids(3, 1), 3, 2},         // again
		{0, 200, ids(200, 1<<32-1), 3, 2}, // never issued; must not take memory
		{0, 200, ids(2, 130), 5, 4},
		{7, 3, ids(1), 1, 0}, // the next test
		{7, 3, ids(0, 2), 3, 3},
	} {
		a.beginTest(c.test)
		a.markAnswered(c.rs, c.limit)
		if a.count != c.count || a.firstMissing() != c.missing || len(a.words) > 4 {
			t.Errorf("after %v: %d answered, first missing %d, want %d and %d", c.rs, a.count, a.firstMissing(), c.count,
				c.missing)
		}
	}
}

func TestOutputKeepsTheLastLines(t *testing.T) {
	var to bytes.Buffer
	o := &pluginOutput{to: &to}
	text := strings.Repeat("line\r\n", 2*tailLines) + strings.Repeat("x", 3*lineBytes) + "\nthe end, without a line break"
	o.drainReader(strings.NewReader(text))
	if to.String() != text {
		t.Error("the output is not passed on as it came")
	}
	tail := o.lastLines()
	if len(tail) != tailLines || tail[0] != "line" || tail[tailLines-2] != strings.Repeat("x", lineBytes) ||
		tail[tailLines-1] != "the end, without a line break" {
		t.Errorf("%d lines: %.100q", len(tail), tail)
	}
}

type brokenWriter struct{ n int }

func (w *brokenWriter) Write([]byte) (int, error) { w.n++; return 0, errors.New("broken pipe") }

func TestOutputOutlivesItsReader(t *testing.T) {
	w := &brokenWriter{}
	o := &pluginOutput{to: w}
	o.drainReader(strings.NewReader("one\ntwo\n"))
	if w.n != 1 || len(o.lastLines()) != 2 {
		t.Errorf("%d writes, %d lines kept, want 1 and 2", w.n, len(o.lastLines()))
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("one\ntwo"))
	f.Add([]byte("\r\n\n\r\x00\xff"))
	f.Add(bytes.Repeat([]byte("abc\n"), 50))
	f.Fuzz(func(t *testing.T, text []byte) {
		var to bytes.Buffer
		o := &pluginOutput{to: &to}
		o.drainReader(bytes.NewReader(text))
		if !bytes.Equal(to.Bytes(), text) {
			t.Error("the output is not passed on as it came")
		}
		if tail := o.lastLines(); len(tail) > tailLines {
			t.Errorf("%d lines are kept", len(tail))
		}
	})
}

func FuzzLooksLikeHandshake(f *testing.F) {
	f.Add("1|1|unix|/tmp/socket|grpc|")
	f.Add("usage: a | b | c | d")
	f.Fuzz(func(t *testing.T, line string) {
		p := &Plugin{output: &pluginOutput{}}
		if looksLikeHandshake(line) {
			_ = p.diagnoseVersion(line, errors.New("refused")) // it has all the parts that are read
		}
	})
}

func TestSocketPathsAreShortEnough(t *testing.T) {
	t.Setenv("TMPDIR", "/"+strings.Repeat("long/", 30))
	if got := socketParent(); got != "/tmp" {
		t.Errorf("sockets would be in %s", got)
	}
	t.Setenv("TMPDIR", "/short")
	if got := socketParent(); got != "/short" {
		t.Errorf("sockets would be in %s, want TMPDIR", got)
	}
}

func TestOutputKeepsWhatAProgramDiedOf(t *testing.T) {
	dump := func(lines int) string {
		text := "panic: no such card\n\ngoroutine 7 [running]:\n"
		for i := 4; i <= lines; i++ {
			text += fmt.Sprintf("line %d\n", i)
		}
		return text
	}
	for _, c := range []struct {
		name, text string
		want       []string // at the start of the tail
		last       string
	}{
		{"a short one", "before\n" + dump(5), []string{"before", "panic: no such card", "", "goroutine 7 [running]:",
			"line 4"}, "line 5"},
		{"just all of it", "before\n" + dump(tailLines), []string{"panic: no such card", "", "goroutine 7 [running]:",
			"line 4", "line 5"}, "line 20"},
		{"a long one", dump(300), []string{"panic: no such card", "", "goroutine 7 [running]:", "line 4", "line 5", "line 6",
			"line 7", "line 8", "...", "line 290"}, "line 300"},
		{"the second counts", dump(100) + "fatal error: all is lost\n" + strings.Repeat("x\n", 50),
			[]string{"fatal error: all is lost", "x"}, "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o pluginOutput
			o.drainReader(strings.NewReader(c.text))
			tail := o.lastLines()
			if len(tail) > tailLines || !slices.Equal(tail[:len(c.want)], c.want) || tail[len(tail)-1] != c.last {
				t.Errorf("%d lines: %q, want %q at first and %q at last", len(tail), tail, c.want, c.last)
			}
		})
	}
}

func TestWhatAnErrorQuotesIsNotSaidTwice(t *testing.T) {
	for _, c := range []struct {
		text  string
		lines []string
		want  bool
	}{
		{"it ended; its last output: one\n  two", []string{"one", "    two"}, true},
		{"it ended; its last output: one", []string{"one", "two"}, false},
		{"it ended", nil, false},
	} {
		if got := repeatsLines(c.text, c.lines); got != c.want {
			t.Errorf("%q, %q: %v, want %v", c.text, c.lines, got, c.want)
		}
	}
}

func TestAnswersToOpenThatMakeNoSense(t *testing.T) {
	good := sdk.WorkloadInfo{DatasetSize: 10, PerformanceSampleCount: 5}
	for _, c := range []struct {
		number uint64
		info   sdk.WorkloadInfo
		want   string
	}{
		{1, good, ""},
		{1 << 63, good, ""},
		{0, good, "workload is 0, want 1 at least"},
		{1, sdk.WorkloadInfo{DatasetSize: -1, PerformanceSampleCount: 5}, "info.dataset_size is -1, want 1 at least"},
		{1, sdk.WorkloadInfo{DatasetSize: 2, PerformanceSampleCount: 2, Order: []int64{1, 2}},
			"info.order[1] is 2, want a sample of the data set, 0 to 1"},
		{0, sdk.WorkloadInfo{DatasetSize: 1}, "workload is 0, want 1 at least; info.performance_sample_count is 0, want 1 " +
			"at least"},
	} {
		if got := checkOpenAnswer(c.number, c.info); got != c.want {
			t.Errorf("%d, %+v: %q, want %q", c.number, c.info, got, c.want)
		}
	}
}
