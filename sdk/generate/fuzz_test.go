package generate_test

import (
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// FuzzTogether generates prompts with arbitrary limits concurrently. Each answer must be that of the prompt alone, and
// within its limits.
func FuzzTogether(f *testing.F) {
	f.Add(uint64(1), uint8(8), uint8(3), uint8(1), uint8(1), int8(10))
	f.Add(uint64(7), uint8(2), uint8(5), uint8(2), uint8(0), int8(-5))
	f.Add(uint64(7), uint8(9), uint8(9), uint8(2), uint8(5), int8(2))
	f.Fuzz(func(t *testing.T, seed uint64, sequences, count, beams, concurrency uint8, penalty int8) {
		width := 1 + int(beams%4)
		room := max(1+int(sequences%12), width)
		all := prompts(1+int(count%12), seed)
		for i := range all {
			all[i].Beams, all[i].LengthPenalty, all[i].EarlyStopping = width-i%width, float64(penalty)/10, i%2 == 0
		}
		model := func() backend.Session {
			return &toy{vocab: 30, layers: 1, favour: 1, concurrency: int(concurrency % 4), inPlace: concurrency&4 != 0}
		}
		together := generateAll(t, open(t, model(), generate.GeneratorOptions{MaxSequences: room, PromptTokens: 60}), all)
		for i, p := range all {
			single := open(t, model(), generate.GeneratorOptions{MaxSequences: p.Beams})
			together[i].check(t, generateAll(t, single, []backend.Prompt{p})[0].all)
			if n := len(together[i].all); n < min(p.MinNewTokens, p.MaxNewTokens) || n > p.MaxNewTokens {
				t.Errorf("prompt %d: %d tokens, want %d to %d", i, n, p.MinNewTokens, p.MaxNewTokens)
			}
		}
	})
}
