package reasoning

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestGoldenDeepSeekR1(t *testing.T) {
	golden.Each(t, "reasoning/logs/deepseek-r1/*/expected.json", func(t *testing.T, path string) {
		newCase(t, path, DeepSeekR1).check(t)
	})
}

func TestGoldenGPTOSS120B(t *testing.T) {
	golden.Each(t, "reasoning/logs/gpt-oss-120b/*/expected.json", func(t *testing.T, path string) {
		newCase(t, path, GPTOSS120B).check(t)
	})
}

// expectedRow is a graded answer in the form of either script.
type expectedRow struct {
	Dataset   string
	Tokens    int
	Count     int `json:"token_count"`
	Extracted any
	Answer    any `json:"extracted_answer"`
	Accuracy  float64
	Right     bool    `json:"is_correct"`
	Truth     *string `json:"ground_truth"`
}

type logCase struct {
	script Script
	dir    string
	rows   []TruthRow
	log    []entry
	want   struct {
		Exit       int
		Error      string
		Problems   *string
		ResultLine string  `json:"result_line"`
		Exact      float64 `json:"exact_match"`
		Tokens     float64 `json:"tokens_per_sample"`
		Stdout     string
		Summary    struct {
			Final float64 `json:"final_score_percentage"`
		}
		Rows []expectedRow
	}
}

type entry struct {
	index int64
	data  []byte
}

func newCase(t *testing.T, path string, script Script) *logCase {
	c := &logCase{script: script, dir: filepath.Dir(path)}
	golden.ReadJSON(t, path, &c.want)
	var rows []map[string]any
	golden.ReadJSON(t, filepath.Join(c.dir, "data.json"), &rows)
	text := func(row map[string]any, names ...string) (string, bool) {
		for _, name := range names {
			switch v := row[name].(type) {
			case string:
				return v, true
			case float64:
				return strconv.FormatFloat(v, 'f', -1, 64), true
			}
		}
		return "", false
	}
	for _, row := range rows {
		set, ok := text(row, "dataset")
		if !ok && script == DeepSeekR1 {
			set, _ = text(row, "metric")
			set = strings.ReplaceAll(strings.ReplaceAll(set, "_em", ""), "_", "")
		}
		truth, _ := text(row, "gt_output", "ground_truth")
		c.rows = append(c.rows, TruthRow{Set: set, Truth: truth})
	}
	c.log = readLog(t, filepath.Join(c.dir, "mlperf_log_accuracy.json"))
	return c
}

// readLog reads an array or JSON lines, some of which may be invalid.
func readLog(t *testing.T, path string) (log []entry) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	type object struct {
		Index int64 `json:"qsl_idx"`
		Data  *string
	}
	var all []object
	if json.Unmarshal(text, &all) != nil {
		all = nil
		for line := range bytes.Lines(text) {
			var o object
			line = bytes.TrimSuffix(bytes.TrimSpace(line), []byte(","))
			if json.Unmarshal(line, &o) == nil {
				all = append(all, o)
			}
		}
	}
	for _, o := range all {
		data, err := []byte{0}, error(nil) // no ids
		if o.Data != nil {
			if data, err = hex.DecodeString(*o.Data); err != nil {
				data = []byte{0}
			}
		}
		log = append(log, entry{o.Index, data})
	}
	return log
}

// score returns the result, and the answers in the order of the log.
func (c *logCase) score(t *testing.T, programs ProgramGrader) (r LogResult, answers []GradedAnswer, err error) {
	tokenizer := map[Script]string{DeepSeekR1: "tokenizer_deepseek", GPTOSS120B: "tokenizer_harmony"}[c.script]
	s := New(GradingOptions{
		Script: c.script, Rows: c.rows, Programs: programs,
		Decode:  openTokenizer(t, filepath.Join(c.dir, "..", "..", "..", tokenizer), c.script == GPTOSS120B),
		Observe: func(a GradedAnswer) { answers = append(answers, a) },
	})
	defer s.Close()
	for _, e := range c.log {
		if err := s.Add(e.index, e.data); err != nil {
			return LogResult{}, nil, err
		}
	}
	r, err = s.Result()
	slices.SortFunc(answers, func(a, b GradedAnswer) int { return cmp.Compare(a.Entry, b.Entry) })
	return r, answers, err
}

func (c *logCase) check(t *testing.T) {
	r, answers, err := c.score(t, nil)
	if c.want.Exit != 0 {
		c.checkRefused(t, r, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	programs := c.verdicts(answers)
	if len(programs) > 0 {
		if _, ok := r.ExactMatch(); ok && r.NotExecuted > 0 || strings.Contains(r.String(), "exact_match") {
			t.Errorf("an exact match, with %d programs not executed: %s", r.NotExecuted, r)
		}
		if r, answers, err = c.score(t, programs); err != nil {
			t.Fatal(err)
		}
	}
	c.checkRows(t, answers)
	c.checkFigures(t, r)
}

// checkRefused requires an error if the official script stops with one that does not concern reading files.
func (c *logCase) checkRefused(t *testing.T, r LogResult, err error) {
	for _, reading := range []string{"JSONDecodeError", "TypeError: list indices", "column"} {
		if strings.Contains(c.want.Error, reading) {
			t.Skipf("a fault of a file's form: %s", c.want.Error)
		}
	}
	if err == nil && r.BadTruths == 0 && r.NotExecuted == 0 {
		t.Errorf("nothing is wrong, the official script says: %s", c.want.Error)
	}
	t.Logf("%v; %s", err, r.BadTruth)
}

// verdicts contains the official script's verdicts on the programs.
func (c *logCase) verdicts(answers []GradedAnswer) scripted {
	programs := scripted{}
	for i, a := range c.inOrder(answers) {
		if g, _ := c.script.Grader(c.rows[a.Index].Set); g == Program && i < len(c.want.Rows) {
			programs[c.rows[a.Index].Truth+" "+a.Extracted] = c.want.Rows[i].Right || c.want.Rows[i].Accuracy == 100
		}
	}
	return programs
}

// scripted contains verdicts by question and source.
type scripted map[string]bool

func (s scripted) GradeProgram(_ context.Context, question, source string) (bool, string, error) {
	pass, ok := s[question+" "+source]
	if !ok {
		return false, "", errors.New("a program that was not expected")
	}
	return pass, "", nil
}

// inOrder returns the answers in the order of the expected rows.
func (c *logCase) inOrder(answers []GradedAnswer) []GradedAnswer {
	if c.script == DeepSeekR1 {
		return answers
	}
	sorted := slices.Clone(answers)
	slices.SortStableFunc(sorted, func(a, b GradedAnswer) int {
		return cmp.Compare(pystr.Lower(c.rows[a.Index].Set), pystr.Lower(c.rows[b.Index].Set))
	})
	return sorted
}

func (c *logCase) checkRows(t *testing.T, answers []GradedAnswer) {
	if len(answers) != len(c.want.Rows) {
		t.Fatalf("%d answers, want %d", len(answers), len(c.want.Rows))
	}
	for i, a := range c.inOrder(answers) {
		want := c.want.Rows[i]
		extracted, tokens := want.Extracted, want.Tokens
		if c.script == GPTOSS120B {
			extracted, tokens = want.Answer, want.Count
		}
		text, found := "", extracted != nil
		switch v := extracted.(type) {
		case string:
			text = v
		case float64:
			text = strconv.Itoa(int(v))
		}
		got := a.Extracted
		if g, _ := c.script.Grader(want.Dataset); g == Program && c.script == GPTOSS120B {
			got = string([]rune(got)[:min(200, len([]rune(got)))])
		}
		right := want.Right || want.Accuracy == 100
		if a.Found != found || found && got != text || a.Tokens != tokens || a.Right != right {
			t.Errorf("answer %d of %s: %+v, want %q, %v, %d tokens", i, want.Dataset, a, text, right, tokens)
		}
	}
}

func (c *logCase) checkFigures(t *testing.T, r LogResult) {
	exact, ok := r.ExactMatch()
	text := r.String()
	if c.script == DeepSeekR1 {
		if !ok || exact != c.want.Exact || r.TokensPerSample() != c.want.Tokens {
			t.Errorf("%v, %v, want %v, %v", exact, r.TokensPerSample(), c.want.Exact, c.want.Tokens)
		}
		if text != "\nResults\n\n"+c.want.ResultLine+"\n" {
			t.Errorf("%q, want the line %q", text, c.want.ResultLine)
		}
		return
	}
	if !ok || math.Abs(exact-c.want.Summary.Final) > 0 {
		t.Errorf("%v, want %v", exact, c.want.Summary.Final)
	}
	official, tokens, _ := strings.Cut(text, "'tokens_per_sample': ")
	if official != c.want.Stdout {
		t.Errorf("%q, want %q", official, c.want.Stdout)
	}
	if v, err := strconv.ParseFloat(strings.TrimSpace(tokens), 64); err != nil || v != r.TokensPerSample() {
		t.Errorf("tokens per sample: %q, want %v", tokens, r.TokensPerSample())
	}
}
