package models

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestMathematicsIsGraded scores a log of answers, each of which is decided by a different step, one of them beyond the
// limits of the algebra. The score reports which, and a missing grader is an error.
func TestMathematicsIsGraded(t *testing.T) {
	dir := t.TempDir()
	if err := officialdata.DeepSeekTokenizer(dir); err != nil {
		t.Fatal(err)
	}
	var data, log bytes.Buffer
	for i, x := range []struct{ truth, answer string }{
		{`\\frac{1}{2}`, `So it is \boxed{\tfrac12}.`}, {`\\sqrt{8}`, `\boxed{2\sqrt{2}}`}, {`\\pi`, `\boxed{9**9**9}`},
	} {
		fmt.Fprintf(&data, `{"text_input": "q", "gt_output": "%s", "dataset": "math500"}`+"\n", x.truth)
		var payload []byte
		for _, b := range []byte(x.answer) {
			payload = binary.LittleEndian.AppendUint32(payload, uint32(officialdata.DeepSeekByte(b)))
		}
		before := []string{"[\n", ",", ","}[i]
		fmt.Fprintf(&log, `%s{ "seq_id" : %d, "qsl_idx" : %d, "data" : "%X" }`+"\n", before, i, i, payload)
	}
	rows := testfile.Write(t, filepath.Join(dir, "rows.jsonl"), data.String())
	entries := testfile.Write(t, filepath.Join(dir, "mlperf_log_accuracy.json"), log.String()+"]\n")
	score := []string{"score", entries, "--benchmark", "deepseek-r1", "--dataset", rows, "--param", "tokenizer=" + dir}
	r := harness.Run(t, score...)
	r.WantCode(t, 0).WantOutput(t, "{'exact_match': 66.66666666666667, 'tokens_per_sample': ")
	r.WantOutput(t, "first normal form 1, beyond the bounds of algebra 1, equal by algebra 1 (algebra: own)")
	harness.WantParts(t, testfile.Read(t, filepath.Join(dir, "exhibits", "index.json")),
		"sample 2 of math500, 15 tokens: wrong, decided by: beyond the bounds of algebra",
		`QUESTION\nq\n\nEND OF THE ANSWER\n\\boxed{9**9**9}\n\nEXTRACTED\n9**9**9\n\nEXPECTED\n\\pi`)
	harness.Run(t, append(score, "--param", "grader=python:/nowhere/python")...).WantCode(t, 2)
}
