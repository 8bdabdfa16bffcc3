package language

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestClientWork(t *testing.T) {
	atServer := new(PromptWorkload)
	if work := atServer.ClientWork(nil, nil, 1); len(work) != 1 {
		t.Errorf("prompts as text: %q", work)
	}
	for name, c := range map[string]struct {
		answer backend.Tokens
		want   int
	}{
		"ids":                   {backend.Tokens{IDs: []int32{5, 6}, N: 2}, 0},
		"ids with their end":    {backend.Tokens{IDs: []int32{5, 2}, N: 2}, 0},
		"ids behind their end":  {backend.Tokens{IDs: []int32{2, 5}, N: 2}, 1},
		"text, as some have it": {backend.Tokens{Text: "a", N: 1}, 1},
	} {
		w := &PromptWorkload{Coder: ten{}}
		w.Limits.EOS = []int32{2}
		if _, _, err := w.AppendTokens(nil, nil, c.answer); err != nil {
			t.Fatal(err)
		}
		if work := w.ClientWork(nil, nil, 1); len(work) != c.want {
			t.Errorf("%s: %q, want %d", name, work, c.want)
		}
	}
}

// ten is a tokenizer of ten tokens.
type ten struct{ TextTokenizer }

func (ten) Size() int                                    { return 10 }
func (ten) EncodePlain(dst []int32, text string) []int32 { return append(dst, int32(len(text))) }
