package reasoning

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/reasoning/mathgrade"
)

// payload encodes each byte of a text as an id.
func payload(text string) (p []byte) {
	for _, b := range []byte(text) {
		p = binary.LittleEndian.AppendUint32(p, uint32(b))
	}
	return p
}

func decodeBytes(ids []int32) (string, error) {
	var b strings.Builder
	for _, id := range ids {
		b.WriteByte(byte(id))
	}
	return b.String(), nil
}

func TestGrader(t *testing.T) {
	for _, x := range []struct {
		set      string
		deepSeek Grader
		gptOSS   Grader
	}{
		{"gpqa_diamond", Choice4, Choice4}, {"MMLU_Pro", Choice10, Choice10}, {"mmlu-pro", 0, Choice10},
		{"math500_aime", Mathematics, Mathematics}, {"AIME25", Integer, Integer}, {"livecodebench_v6", Program, Program},
		{"", 0, 0}, {"gsm8k", 0, 0},
	} {
		for script, want := range map[Script]Grader{DeepSeekR1: x.deepSeek, GPTOSS120B: x.gptOSS} {
			if got, err := script.Grader(x.set); got != want || errors.Is(err, ErrSet) != (want == 0) {
				t.Errorf("%d, %q: %v, %v, want %v", script, x.set, got, err, want)
			}
		}
	}
}

func TestInteger(t *testing.T) {
	for text, want := range map[string]string{
		"7": "7", " 0635 ": "635", "+3": "3", "-0": "0", "-12": "-12", "1_0": "10", "\u0661": "1", "\u001c5": "5",
		"12.0": "", "": "", "x": "", "1__0": "", "_1": "", "1_": "", "+": "", "--1": "", "+_1": "",
	} {
		if got, ok := normalizeInteger(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, ok, want)
		}
	}
}

var threeRows = []TruthRow{{"gpqa", "A"}, {"aime", "12"}, {"gpqa", "x"}}

// TestPolicies checks for each script which entries of a sample count, and whether unreadable entries are dropped or
// stop the scoring.
func TestPolicies(t *testing.T) {
	entries := []struct {
		index int64
		data  []byte
	}{
		{0, payload("Answer: A")}, {0, payload("Answer: B")}, {3, payload("Answer: A")}, {2, payload("Answer: A")},
	}
	for script, want := range map[Script]LogResult{
		DeepSeekR1: {Answers: 2, Right: 1, Tokens: 18, Missing: 1, Duplicates: 1, Outside: 1, BadTruths: 1},
		GPTOSS120B: {Answers: 3, Right: 1, Tokens: 27, Missing: 1, Duplicates: 1, Outside: 1, BadTruths: 1},
	} {
		s := New(GradingOptions{Script: script, Rows: threeRows, Decode: decodeBytes})
		for _, e := range entries {
			if err := s.Add(e.index, e.data); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Result()
		want.Algebra = "own"
		want.Script, want.BadTruth = script, `sample 2 of gpqa has the truth "x", want a letter A to D`
		got.Sets = nil
		if err != nil || fmt.Sprintf("%+v", got.counts()) != fmt.Sprintf("%+v", want.counts()) {
			t.Errorf("%d: %+v, %v, want %+v", script, got.counts(), err, want.counts())
		}
	}
}

// counts returns a result without its String.
func (r LogResult) counts() any {
	type plain LogResult
	return plain(r)
}

// brokenAlgebra always fails.
type brokenAlgebra struct{}

func (brokenAlgebra) Name() string { return "broken" }

var errBroken = errors.New("no process")

func (brokenAlgebra) Vanishes(context.Context, string) (mathgrade.Step, bool, error) {
	return 0, false, errBroken
}

// TestMathematics counts the answers that each step decides, and checks that a failing algebra stops the scoring.
func TestMathematics(t *testing.T) {
	rows := []TruthRow{{"math500", `\frac{1}{2}`}, {"math500", `\sqrt{8}`}, {"math500", ""}}
	s := New(GradingOptions{Rows: rows, Decode: decodeBytes})
	for i, text := range []string{`\boxed{\tfrac12}`, `\boxed{2\sqrt{2}}`, `\boxed{1}`} {
		if err := s.Add(int64(i), payload(text)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil || r.Right != 2 || r.Decisions() != "first normal form 1, equal by algebra 1" || r.Numeric != 1 ||
		r.Algebra != "own" || r.BadTruths != 1 {
		t.Errorf("%+v, %v", r.counts(), err)
	}
	s = New(GradingOptions{Rows: rows, Decode: decodeBytes, Algebra: brokenAlgebra{}})
	if err := s.Add(1, payload(`\boxed{2\sqrt{2}}`)); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
}

func TestDamagedFirst(t *testing.T) {
	s := New(GradingOptions{Rows: threeRows, Decode: decodeBytes})
	for _, data := range [][]byte{{1, 2, 3}, payload("Answer: A")} {
		if err := s.Add(0, data); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := s.Result(); !errors.Is(err, ErrNoSamples) {
		t.Errorf("a bad entry does not hide the good one behind it: %v, %v", r, err)
	}
}

func TestNegativeIndex(t *testing.T) {
	s := New(GradingOptions{Script: GPTOSS120B, Rows: threeRows, Decode: decodeBytes})
	for _, i := range []int64{-3, -4} {
		if err := s.Add(i, payload("A")); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil || r.Right != 1 || r.Negative != 1 || r.Outside != 1 || r.Loose != 1 || r.LooseRight != 1 {
		t.Errorf("%+v, %v", r.counts(), err)
	}
}

func TestFaults(t *testing.T) {
	rows := []TruthRow{{"gsm8k", "1"}, {"gpqa", "A"}}
	for _, x := range []struct {
		script Script
		index  int64
		data   []byte
		is     error
		says   string
	}{
		{DeepSeekR1, 0, payload("1"), ErrSet, `sample 0: no grader for the set "gsm8k": want a name with one of gpqa, `},
		{GPTOSS120B, 1, []byte{1, 2, 3, 4, 5}, ErrPayload, "sample 1: the accuracy log holds a payload that is not " +
			"token ids: 5 bytes, want a multiple of 4"},
		{DeepSeekR1, 1, []byte{0, 0, 0, 0, 255, 255, 255, 255}, ErrPayload, "-1 at place 1"},
		{GPTOSS120B, 1, []byte{255, 255, 255, 255}, ErrPayload, "-1 at place 0"},
	} {
		s := New(GradingOptions{Script: x.script, Rows: rows, Decode: decodeBytes})
		if err := s.Add(x.index, x.data); !errors.Is(err, x.is) || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%v, want one that says %q", err, x.says)
		}
	}
}

func TestNothingScored(t *testing.T) {
	if _, err := New(GradingOptions{Rows: threeRows}).Result(); !errors.Is(err, ErrNoSamples) {
		t.Errorf("DeepSeek-R1: %v", err)
	}
	r, err := New(GradingOptions{Script: GPTOSS120B, Rows: threeRows}).Result()
	if exact, ok := r.ExactMatch(); err != nil || exact != 0 || !ok || r.Missing != 3 {
		t.Errorf("gpt-oss-120b: %v, %v", r.counts(), err)
	}
}

// graderFunc implements ProgramGrader.
type graderFunc func(ctx context.Context, question, source string) (bool, error)

func (f graderFunc) GradeProgram(ctx context.Context, question, source string) (bool, string, error) {
	pass, err := f(ctx, question, source)
	return pass, "as it went", err
}

const fenced = "```python\npass\n```"

func TestPrograms(t *testing.T) {
	rows := []TruthRow{{"livecodebench", "known"}, {"livecodebench", "unknown"}, {"livecodebench", "known"}}
	var calls atomic.Int32
	seen := map[int]GradedAnswer{}
	s := New(GradingOptions{Rows: rows, Decode: decodeBytes, Workers: 1,
		Observe: func(a GradedAnswer) { seen[a.Index] = a },
		Programs: graderFunc(func(_ context.Context, question, source string) (bool, error) {
			calls.Add(1)
			if question == "unknown" {
				return false, fmt.Errorf("%w: %s", ErrProblem, question)
			}
			return source == "pass", nil
		})})
	for i, text := range []string{fenced, fenced, "```python\n```"} {
		if err := s.Add(int64(i), payload(text)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil || r.Right != 1 || r.Answers != 3 || r.BadTruths != 1 || calls.Load() != 2 {
		t.Errorf("%+v, %v, %d calls", r.counts(), err, calls.Load())
	}
	if a := seen[0]; len(seen) != 3 || a.Text != fenced || a.Extracted != "pass" || a.Tests != "as it went" || !a.Right {
		t.Errorf("%d answers were seen, the first %+v", len(seen), a)
	}
}

func TestProgramsFail(t *testing.T) {
	broken := errors.New("no interpreter")
	s := New(GradingOptions{Rows: []TruthRow{{"livecodebench", "a"}}, Decode: decodeBytes,
		Programs: graderFunc(func(context.Context, string, string) (bool, error) { return true, broken })})
	if err := s.Add(0, payload(fenced)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Result(); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if err := s.Add(0, payload(fenced)); !errors.Is(err, broken) {
		t.Errorf("later: %v", err)
	}
}

// TestClose checks that Close stops running programs.
func TestClose(t *testing.T) {
	s := New(GradingOptions{Rows: []TruthRow{{"livecodebench", "a"}}, Decode: decodeBytes,
		Programs: graderFunc(func(ctx context.Context, _, _ string) (bool, error) {
			<-ctx.Done()
			return false, ctx.Err()
		})})
	if err := s.Add(0, payload(fenced)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestNotExecuted(t *testing.T) {
	for _, script := range []Script{DeepSeekR1, GPTOSS120B} {
		s := New(GradingOptions{Script: script, Rows: []TruthRow{{"livecodebench", "a"}}, Decode: decodeBytes})
		if err := s.Add(0, payload(fenced)); err != nil {
			t.Fatal(err)
		}
		r, err := s.Result()
		if err != nil || r.NotExecuted != 1 || strings.Contains(r.String(), "exact_match") ||
			!strings.Contains(r.String(), "No exact match: 1 program was not executed.") ||
			!strings.Contains(r.String(), fmt.Sprintf("'tokens_per_sample': %d.0", len(fenced))) {
			t.Errorf("%v, %v", r, err)
		}
	}
}

// FuzzAdd checks that each entry is counted once or is an error.
func FuzzAdd(f *testing.F) {
	f.Add(false, int64(0), payload("Answer: A"), int64(1), payload(`\boxed{12}`))
	f.Add(true, int64(-1), payload(`\boxed{\frac12}`), int64(-1), []byte{1, 2, 3})
	f.Add(true, int64(4), payload(fenced), int64(9), []byte{255, 255, 255, 255})
	rows := []TruthRow{{"gpqa", "A"}, {"aime", "12"}, {"mmlu_pro", "J"}, {"math500", `\frac{1}{2}`}, {"livecodebench",
		"a"}}
	f.Fuzz(func(t *testing.T, harmony bool, i int64, a []byte, j int64, b []byte) {
		o := GradingOptions{Rows: rows, Decode: decodeBytes}
		if harmony {
			o.Script = GPTOSS120B
		}
		s := New(o)
		defer s.Close()
		counted := 0
		for _, e := range []struct {
			index int64
			data  []byte
		}{{i, a}, {j, b}} {
			if err := s.Add(e.index, e.data); err == nil {
				counted++
			} else if !errors.Is(err, ErrPayload) {
				t.Fatal(err)
			}
		}
		r, err := s.Result()
		if errors.Is(err, ErrNoSamples) {
			return
		}
		dropped := r.Outside + r.Damaged
		if !harmony {
			dropped += r.Duplicates
		}
		if err != nil || r.Answers+dropped != counted {
			t.Errorf("%+v, %v, want %d entries", r.counts(), err, counted)
		}
	})
}
