package models

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestPythonProgramsOfMBXP scores a log of Mixtral 8x7B with programs in two languages: those in Python are executed if
// the command names an interpreter.
func TestPythonProgramsOfMBXP(t *testing.T) {
	interpreter := built.NeedPython(t)
	const tests = "\n\nMETADATA = {}\n\n\ndef check(candidate):\n    assert candidate(2) == 4\n"
	type sample struct{ id, answer string }
	right := sample{"python_double_it", "def double\\_it(x):\n    return 2 * x\n```\nIt doubles."}
	wrong := sample{"python_double_it", "def double_it(x):\n    return x\n"}
	outside := sample{"python_f", "open('written', 'w')\nimport socket\nsocket.create_connection(('127.0.0.1', 1))"}
	ruby := sample{"ruby_double_it", "def double_it(x) = 2 * x\n"}
	score := func(samples []sample, args ...string) harness.Result {
		t.Helper()
		var records []record
		answers := []string{"The answer is 4."}
		records = append(records, record{"dataset": "GSM8K", "id": "4", "input": "2 + 2?", "gt_output": "4"})
		for _, s := range samples {
			records = append(records, record{"dataset": "MBXP", "id": s.id, "input": "Write it.", "gt_output": tests})
			answers = append(answers, s.answer)
		}
		dir := t.TempDir()
		data := testfile.Write(t, filepath.Join(t.TempDir(), "09292024_mixtral_15k_mintoken2_v1.jsonl"), jsonLines(t,
			records))
		testfile.Write(t, filepath.Join(dir, "mlperf_log_accuracy.json"), logOf(t, answers))
		return harness.Run(t, append([]string{"score", dir, "--benchmark", "mixtral-8x7b",
			"--dataset", data, "--param", "tokenizer=" + filepath.Join(built.Root(), "plugins", "llm", "model")}, args...)...)
	}
	wants := func(r harness.Result, code int, texts ...string) {
		t.Helper()
		r.WantCode(t, code)
		for _, text := range texts {
			if !strings.Contains(r.Stdout+r.Stderr, text) {
				t.Errorf("%q is missing:\n%s%s", text, r.Stdout, r.Stderr)
			}
		}
	}
	r := score([]sample{right, wrong, ruby})
	wants(r, 0, "programs of MBXP were not executed", "2 in python, 1 in ruby", "--param execute=python3")
	r = score([]sample{right, wrong, outside, ruby}, "--param", "execute="+interpreter)
	if strings.Contains(r.Stderr, "sandbox=weak") && r.Code != 0 {
		t.Log("name spaces are refused here:", r.Stderr)
	} else {
		wants(r, 0, "1 of 3 programs in Python passed", "in a sandbox", "1 in ruby",
			"other languages than Python are not executed")
		r = score([]sample{right, wrong}, "--param", "execute="+interpreter)
		wants(r, 0, "'gsm8k': 100.0, 'mbxp': 50.0, ")
	}
	r = score([]sample{right, ruby}, "--param", "execute="+interpreter, "--param", "sandbox=weak")
	wants(r, 0, "1 of 1 programs in Python passed", "without a sandbox (sandbox=weak)")
	wants(score(nil, "--param", "execute=no-such-python"), 2, `parameter execute = "no-such-python": no Python`)
	wants(score(nil, "--param", "sandbox=weak"), 2, "execute names no interpreter")
	wants(score(nil, "--param", "sandbox=none"), 2, "full", "weak")
}

// logOf returns an accuracy log of answers in the tokens of the embedded language model.
func logOf(t *testing.T, answers []string) string {
	t.Helper()
	var tokenizer struct {
		Model struct{ Vocab map[string]int32 }
	}
	testfile.ReadJSON(t, filepath.Join(built.Root(), "plugins", "llm", "model", "tokenizer.json"), &tokenizer)
	characters := strings.NewReplacer(" ", "Ġ", "\n", "Ċ") // as vocabularies of bytes have them
	var entries []string
	for i, answer := range answers {
		var payload []byte
		for _, r := range characters.Replace(answer) {
			id, ok := tokenizer.Model.Vocab[string(r)]
			if !ok {
				t.Fatalf("no token for %q", r)
			}
			payload = binary.LittleEndian.AppendUint32(payload, uint32(id))
		}
		entries = append(entries, fmt.Sprintf(`{"seq_id": %d, "qsl_idx": %d, "data": "%s", "token_count": %d}`,
			i, i, strings.ToUpper(hex.EncodeToString(payload)), len(payload)/4))
	}
	return "[\n" + strings.Join(entries, ",\n") + "\n]\n"
}
