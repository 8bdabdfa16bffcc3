package submission_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestEndpointsRunFaults: faults while a curve runs are reported in one line, and the measurements are kept: a server
// that changes between two runs, a folder that an interrupt left, plans with two seed sets, a clock that was set back.
func TestEndpointsRunFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	curve := filepath.Join(dir, "curve")
	var versions [2]http.Handler
	for i := range versions {
		versions[i] = openaitest.New(openaitest.Options{Owner: "vllm", Version: fmt.Sprintf("0.3%d", i),
			Step: time.Millisecond, IDs: true})
	}
	var mended atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := 0
		if _, err := os.Stat(filepath.Join(curve, "curve.json")); err == nil && !mended.Load() {
			at = 1
		}
		versions[at].ServeHTTP(w, r)
	}))
	defer server.Close()
	var set strings.Builder
	for i := range 4 {
		fmt.Fprintf(&set, `{"article":"story %d","highlights":"a story","output_tokens":4}`+"\n", i)
	}
	testfile.Write(t, filepath.Join(dir, "set.jsonl"), set.String())
	file := filepath.Join(dir, "plan.yaml")
	harness.Run(t, "submission", "plan", "--model", "llama3_1-8b", "--c-max", "40", "--offline", "elected", "--out",
		file).WantCode(t, 0)
	filled := strings.NewReplacer("http://SERVER:PORT", server.URL, "tokenizer: TOKENIZER",
		"tokenizer: none\n  performance_set: "+filepath.Join(dir, "set.jsonl")).Replace(testfile.Read(t, file))
	testfile.Write(t, file, filled)
	run := []string{"submission", "run", file, "--rehearsal", "--shorten", "100000", "--out", curve}

	changed := harness.Run(t, run...)
	harness.WantParts(t, changed.Both(), "r1: done, ", "the server has changed: it was mock at ", "vllm 0.30, and is ",
		"the points that were measured are kept", "1 of 7 points")
	if changed.Code == 0 {
		t.Error("a curve of two servers succeeds")
	}
	mended.Store(true)
	testfile.WriteBelow(t, filepath.Join(curve, "r2", "config.yaml"), "name: r2\n")
	harness.WantParts(t, harness.Run(t, run...).WantCode(t, 0).Both(),
		"r1 is there, and not measured again, but for its accuracy run", "r1: accuracy: cnn_dailymail::llama3_8b: 4 answers",
		"r2: what is there is no whole point, and moves to replaced/r2", "r40: accuracy: ", "7 of 7 points")
	testfile.Read(t, filepath.Join(curve, "replaced", "r2", "config.yaml"))

	for want, text := range map[string]string{
		`"seed_set" already`: strings.Replace(filled, "seed_set: A\n", "seed_set: A\nseed_set: B\n", 1),
		`unknown seed set`:   strings.Replace(filled, "seed_set: A\n", "seed_set: B\n", 1),
	} {
		testfile.Write(t, filepath.Join(dir, "other.yaml"), text)
		harness.WantParts(t, harness.Run(t, "submission", "run", filepath.Join(dir, "other.yaml"), "--rehearsal", "--out",
			curve).WantCode(t, 2).Both(), want)
	}
	const line = `{"event_type":"%s","timestamp_ns":%d,"sample_uuid":"a","data":["text",["a","a"]]}` + "\n"
	testfile.Write(t, filepath.Join(dir, "events.jsonl"), fmt.Sprintf(line, "session.start_performance_tracking", 0)+
		fmt.Sprintf(line, "sample.issued", int64(5e9))+fmt.Sprintf(line, "sample.complete", int64(1e9)))
	testfile.Write(t, filepath.Join(dir, "tokenizer.json"), `{"model":{"type":"BPE","vocab":{"a":0},"merges":[]},`+
		`"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"use_regex":false},"decoder":{"type":"ByteLevel"}}`)
	steady := harness.Run(t, "submission", "steady", filepath.Join(dir, "events.jsonl"), "--samples", "1", "--users", "1",
		"--tokenizer", filepath.Join(dir, "tokenizer.json"))
	harness.WantParts(t, steady.Both(), "the clock was set back by at least 4.000 s")
}
