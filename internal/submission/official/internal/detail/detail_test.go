package detail_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/official/internal/detail"
)

// TestRead: the first record of a key counts, a record may lack its value, and a log of endpoints is read only where
// its mark is taken.
func TestRead(t *testing.T) {
	const text = ` {"key": "a", "value": 1, "metadata": {"is_error": false}}
# {"key": "a", "value": 2, "metadata": {"is_error": true}}
# {"key": "b", "metadata": {}}
`
	for _, c := range []struct {
		mark  string
		marks []string
		read  bool
	}{
		{detail.LoadGenMark, []string{detail.LoadGenMark}, true}, {detail.EndpointsMark, []string{detail.LoadGenMark}, false},
		{detail.EndpointsMark, []string{detail.LoadGenMark, detail.EndpointsMark}, true},
		{"", []string{detail.LoadGenMark}, false},
	} {
		d, err := detail.ReadLog(strings.NewReader(c.mark+strings.ReplaceAll(text, "#", c.mark)), c.marks...)
		if (err == nil) != c.read {
			t.Errorf("%q by %q: %v, want it read: %t", c.mark, c.marks, err, c.read)
		}
		if err != nil {
			continue
		}
		if d.Get("a") != int64(1) || d.Get("b") != nil || !d.Has("b") || !d.LacksValue("b") || d.LacksValue("a") {
			t.Errorf("a is %v, b is %v, there %t", d.Get("a"), d.Get("b"), d.Has("b"))
		}
		if len(d.Errors) != 1 || d.Errors[0] != int64(2) || !d.Unmarked {
			t.Errorf("errors %v, unmarked %t", d.Errors, d.Unmarked)
		}
	}
}

// FuzzRead: any text is read or refused, and what LoadGen wrote is read.
func FuzzRead(f *testing.F) {
	log, err := os.ReadFile("../../checker/testdata/small/open/Lab/results/box/resnet50/SingleStream/performance/run_1/" +
		"mlperf_log_detail.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(log)
	f.Add([]byte(":::ENDPTS {}\r:::MLLOG"))
	f.Add([]byte(":::MLLOG {\"key\": [], \"value\": 1}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := detail.ReadLog(bytes.NewReader(text), detail.LoadGenMark, detail.EndpointsMark)
		if err == nil && (d.Get("no such key") != nil || d.Has("no such key")) {
			t.Skip() // the text has it
		}
	})
}
