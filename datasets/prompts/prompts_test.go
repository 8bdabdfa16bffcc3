package prompts

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "samples.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOpen reads each format whole, and what is wanted of it to score.
func TestOpen(t *testing.T) {
	for name, c := range map[string]struct {
		format        PromptFormat
		text          string
		whole, labels []PromptSample
	}{
		"CNN/DailyMail": {
			CNNDailyMail(),
			`[{"instruction":"I","input":"A","output":"S"},{"input":"B","output":"","tok_input":[1,2]},` +
				`{"tok_input":[3],"output":"U"}]`,
			[]PromptSample{{Instruction: "I", Input: "A", Output: "S"}, {Input: "B", Tokens: []int32{1, 2}},
				{Tokens: []int32{3}, Output: "U"}},
			[]PromptSample{{Output: "S"}, {}, {Output: "U"}},
		},
		"OpenOrca": {
			OpenOrca(),
			`{"system_prompt":"Be.","question":"Q","input":"[INST] Q [/INST]","tok_input":[1,1087],"output":"A"}` +
				`{"system_prompt":"","question":"R","output":"B"}`,
			[]PromptSample{{System: "Be.", Input: "[INST] Q [/INST]", Whole: true, Tokens: []int32{1, 1087}, Output: "A"},
				{Input: "R", Output: "B"}},
			[]PromptSample{{Output: "A"}, {Output: "B"}},
		},
		"long contexts": {
			LongContext(),
			`{"input":"I","tok_input":[128000,5],"gt_output":"O","metric":"qa_em"}`,
			[]PromptSample{{Input: "I", Whole: true, Tokens: []int32{128000, 5}, Output: "O", Task: "qa_em"}},
			[]PromptSample{{Output: "O", Task: "qa_em"}},
		},
		"the mixture": {
			Mixture(),
			`{"dataset":"MBXP","id":"cpp_1","input":"I","tok_input":[1,2],"gt_output":"O"}` +
				`{"dataset":"GSM8K","id":"2","input":"I","gt_output":42}`,
			[]PromptSample{{Input: "I", Whole: true, Tokens: []int32{1, 2}, Output: "O", Task: "MBXP", ID: "cpp_1"},
				{Input: "I", Whole: true, Output: "42", Task: "GSM8K", ID: "2"}},
			[]PromptSample{{Output: "O", Task: "MBXP", ID: "cpp_1"}, {Output: "42", Task: "GSM8K", ID: "2"}},
		},
		"DeepSeek-R1": {
			DeepSeekR1(),
			`{"text_input":"Q","gt_output":"A","ground_truth":"B","dataset":"aime"}` +
				`{"text_input":"R","ground_truth":"C","metric":"x"}`,
			[]PromptSample{{Input: "Q", Whole: true, Output: "A", Task: "aime"}, {Input: "R", Whole: true}},
			[]PromptSample{{Output: "A", Task: "aime"}, {}},
		},
		"DeepSeek-R1 by other names": {
			DeepSeekR1(),
			`{"text_input":"Q","ground_truth":7,"metric":"mmlu_pro_em"}{"text_input":"R","ground_truth":"C","metric":"aime_em"}`,
			[]PromptSample{{Input: "Q", Whole: true, Output: "7", Task: "mmlupro"},
				{Input: "R", Whole: true, Output: "C", Task: "aime"}},
			[]PromptSample{{Output: "7", Task: "mmlupro"}, {Output: "C", Task: "aime"}},
		},
		"gpt-oss-120b": {
			GPTOSSAccuracy(),
			`{"input_tokens":[200006,5],"ground_truth":"A","dataset":"gpqa_diamond"}` +
				`{"input_tokens":[7],"ground_truth":"17","dataset":"aime25"}`,
			[]PromptSample{{Tokens: []int32{200006, 5}, Output: "A", Task: "gpqa_diamond"},
				{Tokens: []int32{7}, Output: "17", Task: "aime25"}},
			[]PromptSample{{Output: "A", Task: "gpqa_diamond"}, {Output: "17", Task: "aime25"}},
		},
	} {
		path := write(t, c.text)
		for o, want := range map[ReadOptions][]PromptSample{
			{}: c.whole, {Count: 1}: c.whole[:1], {LabelsOnly: true}: c.labels,
		} {
			if got, err := c.format.Open(path, o); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %+v: %+v, %v, want %+v", name, o, got, err, want)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	for text, c := range map[string]struct {
		format PromptFormat
		says   [2]string
	}{
		`[{"output":"S","input":"x"},{"output":"S"},{"input":5}]`: {
			CNNDailyMail(), [2]string{"record 1: it has neither input nor tok_input", "record 2: output: it is missing"}},
		`{"output":"A","question":"x"}{"output":"B"}{"output":["C"],"input":"x"}`: {
			OpenOrca(), [2]string{"record 1: it has neither question, input nor tok_input", "record 2: output: found"}},
		`{"gt_output":"A","metric":"rouge"}{"gt_output":"B","metric":"bleu","input":"x"}`: {
			LongContext(), [2]string{"record 0: it has neither", `record 1: metric: found "bleu", want one of rouge, niah_em`}},
		`{"text_input":"Q","answer":"A","dataset":"x"}`: {
			DeepSeekR1(), [2]string{`no column "gt_output" and none "ground_truth"`, "its columns are answer, dataset, text"}},
		`{"tok_input":[1],"input_tokens":[2],"ground_truth":"A","dataset":"x"}{"input_tokens":[3],"ground_truth":"B"}`: {
			GPTOSS(), [2]string{"record 1: it has neither text_input, tok_input nor input_tokens",
				"record 1: dataset: it is missing"}},
		`{"dataset":"","id":"1","gt_output":"A","input":"x"}{"dataset":"C4","id":"2","gt_output":"B","input":"x"}`: {
			Mixture(), [2]string{`record 0: dataset: found "", want`, `record 1: dataset: found "C4", want one of OpenOrca`}},
	} {
		_, err := c.format.Open(write(t, text), ReadOptions{})
		var faults *FaultError
		if !errors.Is(err, ErrDataset) || !errors.As(err, &faults) || len(faults.Faults) != 2 {
			t.Fatalf("%v, want two faults", err)
		}
		for _, part := range c.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v does not say %q", err, part)
			}
		}
	}
}

// TestPromptsAlone runs what cannot be scored.
func TestPromptsAlone(t *testing.T) {
	for _, f := range []PromptFormat{CNNDailyMail(), OpenOrca(), LongContext(), Mixture()} {
		path := write(t, `{"input":"x"}`)
		if all, err := f.Open(path, ReadOptions{PromptsOnly: true}); err != nil || len(all) != 1 || all[0].Input != "x" {
			t.Errorf("%s: %+v, %v", f.File, all, err)
		}
		if _, err := f.Open(path, ReadOptions{}); !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), "no column") {
			t.Errorf("%s: %v, want columns that are missing", f.File, err)
		}
	}
}

func TestNoTable(t *testing.T) {
	if _, err := OpenOrca().Open(write(t, "\x80\x04pickle"), ReadOptions{}); !errors.Is(err, ErrDataset) ||
		!strings.Contains(err.Error(), "convert.py") {
		t.Errorf("a pickle: %v", err)
	}
	if _, err := Mixture().Open(filepath.Join(t.TempDir(), "none"), ReadOptions{}); !errors.Is(err, ErrDataset) ||
		!errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestGoldenRecords reads the records of the scorers' and of the prompts' cases.
func TestGoldenRecords(t *testing.T) {
	for pattern, f := range map[string]PromptFormat{
		"preprocess/gptj_prompts/cnn_eval.json":   CNNDailyMail(),
		"scorers/llama3_405b/*/ground_truth.json": LongContext(),
		"scorers/mixtral/*/ground_truth.json":     Mixture(),
	} {
		golden.Each(t, pattern, func(t *testing.T, path string) {
			all, err := f.Open(path, ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var want []struct {
				Instruction, Input, Output, Metric, Dataset, ID string
				Truth                                           string `json:"gt_output"`
			}
			golden.ReadJSON(t, path, &want)
			if len(all) != len(want) {
				t.Fatalf("%d samples, want %d", len(all), len(want))
			}
			for i, w := range want {
				if s := all[i]; s.Instruction != w.Instruction || s.Output != w.Output+w.Truth ||
					s.Input != w.Input || s.Task != w.Metric+w.Dataset || s.ID != w.ID {
					t.Errorf("sample %d: %+v, want %+v", i, s, w)
				}
			}
		})
	}
}
