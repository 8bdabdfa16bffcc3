package language

import (
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// letters is a tokenizer with a token for each letter.
type letters struct{ TextTokenizer }

func (letters) Size() int { return 256 }

func (letters) EncodePlain(dst []int32, text string) []int32 {
	for i := range len(text) {
		dst = append(dst, int32(text[i]))
	}
	return dst
}

// counted is a workload whose answers, each of ten letters, are so many tokens by the server.
func counted(t *testing.T, server ...int) *PromptWorkload {
	t.Helper()
	w := &PromptWorkload{Coder: letters{}}
	w.Tokenizer = "letters.json"
	for _, n := range server {
		answer := backend.Tokens{Text: "abcdefghij", N: n}
		_, got, err := w.AppendTokens(nil, &backend.Prompt{MinNewTokens: 2}, answer)
		want := n
		if n == backend.Uncounted {
			want = 10
		}
		if err != nil || got != want {
			t.Fatalf("%d tokens of an answer of %d, %v, want %d", got, n, err, want)
		}
	}
	return w
}

func TestRemarks(t *testing.T) {
	const more, fewer = "counts 40 tokens in the answers, and the server 36: +11.1 %", "and the server 32: -37.5 %"
	for name, c := range map[string]struct {
		server   []int
		note     string
		estimate string
	}{
		"none":                            {nil, "", ""},
		"equal":                           {[]int{10, 10}, "", ""},
		"an end token in each":            {[]int{11, 11, 11}, "", ""},
		"a hundredth more":                {append(repeat(11, 46), 9, 9, 9, 9, 9, 9), "", ""},
		"more":                            {repeat(9, 4), more, ""},
		"fewer":                           {repeat(16, 2), fewer, ""},
		"more and fewer":                  {[]int{9, 8, 13}, "", ""},
		"a first token":                   {[]int{1, 10}, "", ""},
		"not counted":                     {repeat(backend.Uncounted, 3), "", "letters.json counted them in the text of 3"},
		"one of two servers counts other": {[]int{backend.Uncounted, 5}, "+100.0 %", "of 1 answers"},
	} {
		m := counted(t, c.server...).RunNotes()
		notes, estimates := strings.Join(m.Notes, "\n"), strings.Join(m.Estimates, "\n")
		if (notes == "") != (c.note == "") || (estimates == "") != (c.estimate == "") ||
			!strings.Contains(notes, c.note) || !strings.Contains(estimates, c.estimate) {
			t.Errorf("%s: notes %q, estimates %q; want %q and %q", name, notes, estimates, c.note, c.estimate)
		}
	}
}

func repeat(n, times int) []int {
	all := make([]int, times)
	for i := range all {
		all[i] = n
	}
	return all
}

// TestNobodyCounts: without a tokenizer the error says what to give, and a minimum holds for estimates too.
func TestNobodyCounts(t *testing.T) {
	answer := backend.Tokens{Text: "abc", N: backend.Uncounted}
	for want, w := range map[string]*PromptWorkload{
		"--param tokenizer=FILE": {}, "min_new_tokens=3 takes such answers": {Coder: letters{}},
	} {
		_, _, err := w.AppendTokens(nil, &backend.Prompt{MinNewTokens: 4}, answer)
		if !errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error of use that says %q", err, want)
		}
	}
}
