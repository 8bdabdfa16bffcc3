package reasoning

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/rows.sha256")

// rows is any of the sets.
type rows interface {
	Len() int
	At(i int) Row
}

func sets() map[string]rows {
	return map[string]rows{"train": Train(), "calibration": Calibration(), "deepseek": DeepSeek(), "accuracy": GPTOSS(),
		"performance": GPTOSSPerformance()}
}

// TestRowsNeverChange holds questions, worked answers and tests against those of the embedded model's training: a
// change here means that the model must be trained again.
func TestRowsNeverChange(t *testing.T) {
	var b strings.Builder
	for _, name := range []string{"train", "calibration", "deepseek", "accuracy", "performance"} {
		set := sets()[name]
		for i := 0; i < set.Len(); i += set.Len() / 20 {
			r := set.At(i)
			text := strings.Join([]string{r.Dataset, r.Question, r.Thought, r.Answer, r.Truth}, "\n")
			if p := r.Problem; p != nil {
				text += fmt.Sprint(*p)
			}
			fmt.Fprintf(&b, "%s %d %x\n", name, i, sha256.Sum256([]byte(text)))
		}
	}
	path := filepath.Join("testdata", "rows.sha256")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wantLines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(b.String(), "\n") {
		if i >= len(wantLines) || line != wantLines[i] {
			t.Errorf("row %q is not that of %s line %d", line, path, i+1)
		}
	}
}

// TestEvaluationQuestionsAreNew holds them to differ within a set, and from those of training.
func TestEvaluationQuestionsAreNew(t *testing.T) {
	all := map[string]Rows{"deepseek": DeepSeek(), "accuracy": GPTOSS(), "performance": GPTOSSPerformance()}
	for name, set := range all {
		times := map[string]int{}
		for _, r := range set {
			times[r.Question]++
		}
		want := map[Kind]int{AIME: 1, GPQA: 1, LiveCodeBench: 1, Math: 1, MMLUPro: 1}
		if name == "accuracy" {
			want = map[Kind]int{AIME: 8, GPQA: 5, LiveCodeBench: 3}
		}
		for _, r := range set {
			if times[r.Question] != want[r.Kind] {
				t.Errorf("%s asks %q %d times", name, r.Question, times[r.Question])
			}
		}
	}
	for i := range 3000 {
		if q := Train().At(i).Question; evaluationQuestions()[q] {
			t.Errorf("training row %d asks %q, which an evaluation asks", i, q)
		}
	}
}

// TestRepeatedDrawsAreAvoided: a training row whose first draw is a question of an evaluation is drawn again.
func TestRepeatedDrawsAreAvoided(t *testing.T) {
	questions := map[string]bool{}
	for i := range 500 {
		questions[Train().At(i).Question] = true
	}
	if n := len(questions); n < 490 {
		t.Errorf("%d different questions of 500", n)
	}
}

func TestSetsHaveTheirParts(t *testing.T) {
	for _, tt := range []struct {
		set  Rows
		want map[string]int
	}{
		{DeepSeek(), map[string]int{"aime": 60, "math500": 160, "gpqa": 100, "mmlu_pro": 120, "livecodebench": 60}},
		{GPTOSS(), map[string]int{"aime25": 240, "gpqa_diamond": 200, "livecodebench_v6": 60}},
		{GPTOSSPerformance(), map[string]int{"aime25": 192, "gpqa_diamond": 160, "livecodebench_v6": 48}},
		{GPTOSSCompliance(), map[string]int{"gpqa_diamond": 200}},
	} {
		got := map[string]int{}
		for _, r := range tt.set {
			got[r.Dataset]++
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("parts %v, want %v", got, tt.want)
		}
	}
	if n := len(GPTOSS().Problems()); n != 20 {
		t.Errorf("%d problems of 60 rows that ask each 3 times", n)
	}
}

func TestColumns(t *testing.T) {
	for _, tt := range []struct {
		op   byte
		a, b int
		text string
	}{
		{'+', 598, 228, "598+228:8+8+0=16;9+2+1=12;5+2+1=08;826"},
		{'-', 410, 40, "410-040:0-0-0=00;1-4-0=17;4-0-1=03;370"},
		{'*', 188, 4, "188*4:8*4+0=32;8*4+3=35;1*4+3=07;752"},
	} {
		if text, _ := computeByHand(tt.op, tt.a, tt.b); text != tt.text {
			t.Errorf("%d %c %d: %s, want %s", tt.a, tt.op, tt.b, text, tt.text)
		}
	}
	for a := range 1000 {
		for _, b := range []int{0, 1, 7, 58, 99, 305, 999} {
			for _, op := range []byte("+-*") {
				want := applyOperator(op, a, b)
				if want < 0 || want > 999 || op == '*' && b > 9 {
					continue
				}
				if _, got := computeByHand(op, a, b); got != want {
					t.Errorf("%d %c %d = %d, want %d", a, op, b, got, want)
				}
			}
		}
	}
}

func TestReduce(t *testing.T) {
	if text, n, d := reduceFraction(24, 36); text != "24/36;2:12/18;2:6/9;3:2/3" || n != 2 || d != 3 {
		t.Errorf("%s: %d/%d", text, n, d)
	}
}

// between returns the text between two others, the last in a text.
func between(text, left, right string) string {
	_, rest, _ := strings.Cut(text, left)
	if i := strings.LastIndex(rest, right); i >= 0 {
		return rest[:i]
	}
	return rest
}

// TestWorkedAnswersAreRight holds the worked answers to the truths, where both are in one form.
func TestWorkedAnswersAreRight(t *testing.T) {
	var mathSame, mathAll int
	for i := range 5000 {
		r := Train().At(i)
		boxed := between(r.Answer, `\boxed{`, "}.")
		switch r.Kind {
		case AIME:
			if n, err := strconv.Atoi(boxed); err != nil || strconv.Itoa(n) != r.Truth || len(boxed) != 3 {
				t.Errorf("%q: %s, want %s", r.Question, boxed, r.Truth)
			}
			if !strings.HasSuffix(r.Thought, ";"+boxed) {
				t.Errorf("%q: thought %q, answer %s", r.Question, r.Thought, boxed)
			}
		case Math:
			mathAll++
			if boxed == r.Truth {
				mathSame++
			}
		case GPQA, MMLUPro:
			letters := strings.FieldsFunc(r.Answer, func(c rune) bool { return strings.ContainsRune(" :=().", c) })
			if letters[len(letters)-1] != r.Truth || !strings.Contains(r.Question, "\n"+r.Truth+") ") {
				t.Errorf("%q: %q, want %s", r.Question, r.Answer, r.Truth)
			}
		}
	}
	if share := 100 * mathSame / mathAll; share < 50 || share > 90 {
		t.Errorf("%d %% of the truths are written as the worked answer", share)
	}
}

// TestProgramsHoldWhatTheyAreAsked counts kinds of programs, and looks for the constants of the question in the code.
func TestProgramsHoldWhatTheyAreAsked(t *testing.T) {
	kinds := map[string]int{}
	for i := range 5000 {
		r := Train().At(i)
		if r.Kind != LiveCodeBench {
			continue
		}
		p := r.Problem
		if p.ID != r.Truth || len(p.Public) != publicTests || len(p.Private) != privateTests {
			t.Errorf("problem %+v of %s", p, r.Truth)
		}
		if !strings.HasPrefix(r.Answer, "```python\n"+p.StarterCode) || !strings.HasSuffix(r.Answer, "\n```") {
			t.Errorf("%q", r.Answer)
		}
		constant := func(c rune) bool { return c >= '0' && c <= '9' || c == '\'' }
		kinds[strings.Join(strings.FieldsFunc(r.Answer, constant)[:2], " ")]++
	}
	if len(kinds) < len(families()) {
		t.Errorf("%d kinds of programs, want at least %d: %v", len(kinds), len(families()), kinds)
	}
}

// TestProblemsAreRowsOfLiveCodeBench reads the official form again.
func TestProblemsAreRowsOfLiveCodeBench(t *testing.T) {
	var methods int
	for _, p := range DeepSeek().Problems() {
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var row map[string]string
		if err := json.Unmarshal(data, &row); err != nil {
			t.Fatal(err)
		}
		if row["question_id"] != p.ID || len(row) != 11 {
			t.Errorf("row %v", row)
		}
		private := row["private_test_cases"]
		if p.Method != "" {
			methods++
			private = unpickled(t, private)
			if want := fmt.Sprintf(`{"func_name": %q}`, p.Method); row["metadata"] != want {
				t.Errorf("metadata %s, want %s", row["metadata"], want)
			}
		}
		if got := slices.Concat(tests(t, row["public_test_cases"]), tests(t, private)); !slices.Equal(got,
			slices.Concat(p.Public, p.Private)) {
			t.Errorf("tests %v of %v", got, p)
		}
	}
	if methods < 5 {
		t.Errorf("%d problems with a method", methods)
	}
}

func tests(t *testing.T, text string) []Test {
	t.Helper()
	var list []packedTest
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatal(err)
	}
	all := make([]Test, len(list))
	for i, p := range list {
		all[i] = Test{p.Input, p.Output}
		if kind := p.Type; kind != "stdin" && kind != "functional" {
			t.Errorf("test type %q", kind)
		}
	}
	return all
}

// unpickled reads the one text of a pickle.
func unpickled(t *testing.T, text string) string {
	t.Helper()
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint32(data[3:])
	return string(data[7 : 7+n])
}

func BenchmarkRow(b *testing.B) {
	set := Train()
	set.At(0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		set.At(i % set.Len())
	}
}
