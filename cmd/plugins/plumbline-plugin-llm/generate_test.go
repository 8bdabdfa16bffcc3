package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// fixture is one answer of transformers.
type fixture struct {
	Article, Beams, Least, Most int
	Penalty                     float64
	Early                       bool
	Answer                      []int32
}

// TestAnswersAreThoseOfTransformers generates the fixtures' prompts concurrently, so that sequences of different
// lengths join and leave, and compares token by token.
func TestAnswersAreThoseOfTransformers(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "plugins", "llm", "testdata", "generate", "generate.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []fixture
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	o := open(t, "fp32")
	g := o.generator(t, 12)
	answers := make([]answer, len(cases))
	faults := make([]error, len(cases))
	var calls sync.WaitGroup
	for i, c := range cases {
		p := o.prompt(t, c.Article)
		p.Beams, p.MinNewTokens, p.MaxNewTokens, p.LengthPenalty, p.EarlyStopping = c.Beams, c.Least,
			c.Most, c.Penalty, c.Early
		calls.Go(func() { faults[i] = g.Generate(t.Context(), p, &answers[i]) })
	}
	calls.Wait()
	for i, c := range cases {
		t.Run(fmt.Sprintf("article=%d/beams=%d", c.Article, c.Beams), func(t *testing.T) {
			if faults[i] != nil || !slices.Equal(answers[i].ids, c.Answer) {
				t.Errorf("answer %v, %v\nwant   %v", answers[i].ids, faults[i], c.Answer)
			}
		})
	}
}

// TestSequencesTogetherAreTheUsers checks that --batch is the number of sequences decoded together, including 1.
func TestSequencesTogetherAreTheUsers(t *testing.T) {
	for batch, want := range map[int]int{0: 16, 1: 1, 24: 24} {
		if got := open(t, "fp32").generator(t, batch).Limits().MaxBatch; got != want {
			t.Errorf("a batch of %d decodes %d sequences together, want %d", batch, got, want)
		}
	}
}
