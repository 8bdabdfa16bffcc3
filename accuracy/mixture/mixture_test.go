package mixture

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/internal/programs"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
)

func TestSolves(t *testing.T) {
	for _, x := range []struct {
		name, reference, answer string
		want                    bool
	}{
		{"concluded", "42", "6*7=13. The answer is 42. Not 41.", true},
		{"the last conclusion counts", "18", "The answer is 17. wait The answer is 18", true},
		{"a conclusion without a number", "7", "3 and 7. The answer is unknown", true},
		{"the last number counts", "12.5", "1, 2, 12.50", true},
		{"a comma", "5600", "The answer is $5,600 dollars.", true},
		{"nothing but commas before digits", "2", "x ,,2", true},
		{"a sign", "-7", "The answer is -7", true},
		{"no leading digit", "0.5", ".5", true},
		{"a next question", "7", "The answer is 7\nQ: what is 9?", true},
		{"no number", "0", "none", false},
		{"no reference", "none", "5", false},
		{"digits of other scripts", "12", "\u0661\u0662", true},
		{"mathematical digits", "42", "\U0001d7d2\U0001d7d0", true},
		{"an underscore in the reference", " 1_000\n", "1000", true},
		{"a wrong underscore", "1__0", "10", false},
		{"hexadecimal", "0x10", "16", false},
		{"beyond the range", "1e999", strings.Repeat("9", 400), true},
	} {
		if got := givesNumber(x.reference, x.answer); got != x.want {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
}

func TestProgram(t *testing.T) {
	for _, x := range []struct {
		id, answer, source string
		counts             bool
	}{
		{"python_MBXP/1", " \n def f\\_x(): pass\n```\nmore", "def f_x(): pass\n", true},
		{"cpp_MBXP/1", "  int f() {}", "  int f() {}", true},
		{"go_MBXP/1", "x", "x", false},
		{"python", "```", "", true},
	} {
		p, counts := newProgram(3, x.id, x.answer)
		if p.Source != x.source || counts != x.counts || p.Sample != 3 {
			t.Errorf("%s: %+v, %v", x.id, p, counts)
		}
	}
}

type letters struct{}

func (letters) Decode(ids []int32) (string, error) {
	var b strings.Builder
	for _, id := range ids {
		b.WriteByte(byte(id))
	}
	return b.String(), nil
}

func TestResultOfOneTask(t *testing.T) {
	s := New(CompareOptions{
		DType: accuracy.Int64, Decoder: letters{}, Splitter: punkt.NewSplitter(punkt.English()),
		References: []Reference{{Task: GSM8K, Text: "5"}, {Task: MBXP, ID: "ruby_1"}, {Task: OpenOrca, Text: "x"}},
	})
	if _, err := s.Result(); !errors.Is(err, generation.ErrNoSamples) {
		t.Errorf("an empty log: %v", err)
	}
	for _, index := range []uint64{0, 1, 0} {
		var payload []byte
		if index == 0 {
			payload = binary.LittleEndian.AppendUint64(nil, '5')
		}
		if err := s.Add(index, payload); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	const want = "{'gsm8k': 100.0, 'mbxp': 0.0, 'gen_len': 0, 'gen_num': 3, 'gen_tok_len': 1, 'tokens_per_sample': 0.3}"
	if r.String() != want || r.Missing != 1 || r.Duplicates != 1 || !r.Programs[0].Executed || !math.IsNaN(r.Rouge1) {
		t.Errorf("%v, want %s: %+v", r, want, r)
	}
}

func FuzzAnswerNumber(f *testing.F) {
	for _, seed := range []string{"", "The answer is 5.", "-,,1.2.3", "1e5", "\u0661_\u0662"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, answer string) {
		if v, ok := answerNumber(answer); ok && math.IsNaN(v) {
			t.Errorf("%q: %v", answer, v)
		}
		if p, _ := newProgram(0, answer, answer); strings.Contains(p.Source, "```") {
			t.Errorf("%q: the source goes beyond the code block", answer)
		}
	})
}

// TestExecute runs programs with a stand-in. Programs whose source is good pass.
func TestExecute(t *testing.T) {
	newResult := func() (r TaskResult) {
		for i, x := range []struct{ id, answer string }{
			{"python_f", "good"}, {"python_g_h", "bad"}, {"python_f", " \n"}, {"ruby_f", "good"}, {"python_f", "good"},
		} {
			p, _ := newProgram(i, x.id, x.answer)
			p.Tests = "tests"
			r.Programs = append(r.Programs, p)
		}
		return r
	}
	run := func(_ context.Context, j programs.Job) (programs.TestVerdict, error) {
		good := bytes.Contains(j.DriverInput(), []byte(`"code":"good","function":"f"`))
		if !good && !bytes.Contains(j.DriverInput(), []byte(`"code":"bad","function":"g_h"`)) ||
			!bytes.Contains(j.DriverInput(), []byte(`"tests":"tests"`)) {
			return programs.TestVerdict{}, fmt.Errorf("a job that was not expected: %s", j.DriverInput())
		}
		return programs.TestVerdict{Passed: good}, nil
	}
	r := newResult()
	if err := r.ExecutePrograms(t.Context(), run, 2); err != nil {
		t.Fatal(err)
	}
	want := map[string]ProgramCount{Python: {4, 4, 2}, "ruby": {1, 0, 0}}
	if got := r.Languages(); !maps.Equal(got, want) || want[Python].Share() != 50 {
		t.Errorf("%v, want %v", got, want)
	}
	if v, ok := r.MBXP(); ok {
		t.Errorf("mbxp is %v, but the Ruby was not executed", v)
	}
	r.Programs = slices.DeleteFunc(r.Programs, func(p Program) bool { return p.Language != Python })
	if v, ok := r.MBXP(); !ok || v != 50 {
		t.Errorf("mbxp is %v, %v, want 50", v, ok)
	}
	r = newResult()
	broken := errors.New("broken")
	err := r.ExecutePrograms(t.Context(), func(context.Context, programs.Job) (programs.TestVerdict, error) {
		return programs.TestVerdict{}, broken
	}, 4)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "sample ") {
		t.Errorf("%v, want the sample and %v", err, broken)
	}
}
