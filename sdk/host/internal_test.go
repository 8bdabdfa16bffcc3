package host

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
)

func ids(list ...loadgen.ResponseID) []loadgen.QuerySampleResponse {
	rs := make([]loadgen.QuerySampleResponse, len(list))
	for i, id := range list {
		rs[i].ID = id
	}
	return rs
}

func TestAnsweredCountsDistinctIssuedIDs(t *testing.T) {
	var a answered
	for _, c := range []struct {
		test, limit    uint64
		rs             []loadgen.QuerySampleResponse
		count, missing uint64
	}{
		{0, 200, ids(0, 1, 3), 3, 2},
		{0, 200, ids(3, 1), 3, 2},         // again
		{0, 200, ids(200, 1<<32-1), 3, 2}, // never issued: it must take no memory either
		{0, 200, ids(2, 130), 5, 4},
		{7, 3, ids(1), 1, 0}, // the next test
		{7, 3, ids(0, 2), 3, 3},
	} {
		a.begin(c.test)
		a.add(c.rs, c.limit)
		if a.count != c.count || a.firstMissing() != c.missing || len(a.words) > 4 {
			t.Errorf("after %v: %d answered, first missing %d, want %d and %d", c.rs, a.count, a.firstMissing(), c.count, c.missing)
		}
	}
}

func TestOutputKeepsTheLastLines(t *testing.T) {
	var to bytes.Buffer
	o := &output{to: &to}
	text := strings.Repeat("line\r\n", 2*tailLines) + strings.Repeat("x", 3*lineBytes) + "\nthe end, without a line break"
	o.drain(strings.NewReader(text))
	if to.String() != text {
		t.Error("the output is not passed on as it came")
	}
	tail := o.tail()
	if len(tail) != tailLines || tail[0] != "line" || tail[tailLines-2] != strings.Repeat("x", lineBytes) || tail[tailLines-1] != "the end, without a line break" {
		t.Errorf("%d lines: %.100q", len(tail), tail)
	}
}

type brokenWriter struct{ n int }

func (w *brokenWriter) Write([]byte) (int, error) { w.n++; return 0, errors.New("broken pipe") }

func TestOutputOutlivesItsReader(t *testing.T) {
	w := &brokenWriter{}
	o := &output{to: w}
	o.drain(strings.NewReader("one\ntwo\n"))
	if w.n != 1 || len(o.tail()) != 2 {
		t.Errorf("%d writes, %d lines kept, want 1 and 2", w.n, len(o.tail()))
	}
}

func FuzzOutput(f *testing.F) {
	f.Add([]byte("one\ntwo"))
	f.Add([]byte("\r\n\n\r\x00\xff"))
	f.Add(bytes.Repeat([]byte("abc\n"), 50))
	f.Fuzz(func(t *testing.T, text []byte) {
		var to bytes.Buffer
		o := &output{to: &to}
		o.drain(bytes.NewReader(text))
		if !bytes.Equal(to.Bytes(), text) {
			t.Error("the output is not passed on as it came")
		}
		if tail := o.tail(); len(tail) > tailLines {
			t.Errorf("%d lines are kept", len(tail))
		}
	})
}

func FuzzLooksLikeHandshake(f *testing.F) {
	f.Add("1|1|unix|/tmp/socket|grpc|")
	f.Add("usage: a | b | c | d")
	f.Fuzz(func(t *testing.T, line string) {
		p := &Plugin{output: &output{}}
		if looksLikeHandshake(line) {
			_ = p.diagnoseVersion(line, errors.New("refused")) // has all the parts that it reads
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
