package agentic

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/bfcl"
	"github.com/plumbline-ml/plumbline/datasets/bfcl"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/synthetic/tooluse"
	"github.com/plumbline-ml/plumbline/sdk"
)

// official scores lines of JSON by the endpoints harness's scorer and bfcl-eval's checker. Of bfcl-eval's table of
// models, which imports all of their clients, the checker reads one flag.
const official = `
import json, sys, types
sys.path[:0] = [sys.argv[1] + "/src", sys.argv[2]]
table = types.ModuleType("bfcl_eval.constants.model_config")
class Flags(dict):
    def __missing__(self, name):
        return types.SimpleNamespace(underscore_to_dot=True)
table.MODEL_CONFIG_MAPPING = Flags()
sys.modules["bfcl_eval.constants.model_config"] = table
from inference_endpoint.evaluation.bfcl_v4_scorer import BFCLv4Scorer
from inference_endpoint.evaluation.extractor import FunctionCallExtractor
scorer = BFCLv4Scorer.__new__(BFCLv4Scorer)
for line in sys.stdin:
    c = json.loads(line)
    try:
        if c["subset"] in ("irrelevance", "live_irrelevance"):
            score = scorer._score_hallucination(c["output"])
        elif c["subset"] == "live_relevance":
            score = scorer._score_relevance(c["output"])
        else:
            found = FunctionCallExtractor.extract(c["output"], default="[]")
            score = scorer._score_ast(found, c["answers"], json.loads(c["functions"]), c["subset"])
        print(score)
    except Exception as error:
        print("stops", type(error).__name__)
`

// answeredCase is an answer to a sample.
type answeredCase struct {
	ID        string `json:"id"`
	Subset    string `json:"subset"`
	Functions string `json:"functions"`
	Answers   string `json:"answers"`
	Output    string `json:"output"`
}

// ownAnswer calls what is right with the first of the possible values of each argument, and change of the last ones.
func ownAnswer(t *testing.T, s bfcl.FunctionSample, change func(arguments *pyvalue.Dict)) string {
	t.Helper()
	v, err := pyvalue.Decode(s.Answers)
	if err != nil {
		t.Fatal(err)
	}
	calls := []any{}
	for _, answer := range v.([]any) {
		for _, name := range answer.(*pyvalue.Dict).Keys() {
			possible, _ := answer.(*pyvalue.Dict).Get(name)
			arguments := pyvalue.NewDict()
			for _, key := range possible.(*pyvalue.Dict).Keys() {
				if values, _ := possible.(*pyvalue.Dict).Get(key); len(values.([]any)) > 0 {
					arguments.Set(key, values.([]any)[0])
				}
			}
			change(arguments)
			function := pyvalue.NewDict()
			function.Set("name", strings.ReplaceAll(name, ".", "_"))
			function.Set("arguments", pyvalue.JSON(arguments))
			call := pyvalue.NewDict()
			call.Set("type", "function")
			call.Set("function", function)
			calls = append(calls, call)
		}
	}
	return pyvalue.JSON(calls)
}

// officialCases are answers to all samples of bfcl-eval, right ones and others, and the stand-in's.
func officialCases(t *testing.T, folder string) (all []answeredCase) {
	t.Helper()
	add := func(s bfcl.FunctionSample, output string) {
		all = append(all, answeredCase{s.ID, s.Subset, s.Functions, s.Answers, output})
	}
	made, err := tooluse.Samples()
	if err != nil {
		t.Fatal(err)
	}
	if made, err = bfcl.OfficialSelection().SelectFrom(made); err != nil {
		t.Fatal(err)
	}
	for i, payload := range answered(t, openFor(t, sdk.Options{Use: sdk.UseAccuracy})) {
		add(made[i], string(payload))
	}
	samples, err := bfcl.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range samples {
		add(s, ownAnswer(t, s, func(*pyvalue.Dict) {}))
		add(s, ownAnswer(t, s, func(arguments *pyvalue.Dict) {
			if keys := arguments.Keys(); len(keys) > 0 {
				arguments.Set(keys[i%len(keys)], "something else")
			}
		}))
		add(s, "")
	}
	return all
}

// TestOfficialBFCL compares with the official scorer: PLUMBLINE_ENDPOINTS names the endpoints harness's sources,
// PLUMBLINE_BFCL the folder in which bfcl_eval 2026.3.23 lies.
func TestOfficialBFCL(t *testing.T) {
	sources, folder := os.Getenv("PLUMBLINE_ENDPOINTS"), os.Getenv("PLUMBLINE_BFCL")
	if sources == "" || folder == "" {
		t.Skip("PLUMBLINE_ENDPOINTS and PLUMBLINE_BFCL name no sources (make test-official OF=bfcl)")
	}
	cases := officialCases(t, folder)
	var in bytes.Buffer
	lines := json.NewEncoder(&in)
	for _, c := range cases {
		if err := lines.Encode(c); err != nil {
			t.Fatal(err)
		}
	}
	python := os.Getenv("PYTHON")
	if python == "" {
		python = "python3"
	}
	cmd := exec.Command(python, "-c", official, sources, filepath.Clean(folder))
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	theirs := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(theirs) != len(cases) {
		t.Fatalf("%d scores of %d answers", len(theirs), len(cases))
	}
	right, stopped := 0, 0
	for i, c := range cases {
		s, err := accuracy.ParseSample(c.Subset, c.Functions, c.Answers)
		if err != nil {
			t.Fatal(err)
		}
		g := s.Score(c.Output)
		stops := strings.HasPrefix(theirs[i], "stops")
		if stops != (g.Stops != nil) || !stops && g.Right != (theirs[i] == "1.0") {
			t.Errorf("%s: %v (%s), the official scorer says %s: %s", c.ID, g.Right, g.Reason, theirs[i], c.Output)
		}
		if g.Right {
			right++
		}
		if g.Stops != nil {
			stopped++
		}
	}
	t.Logf("%d answers, %d right, at %d the official scoring stops", len(cases), right, stopped)
}
