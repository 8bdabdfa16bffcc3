package language

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/payload"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// Settings are the parameters that all benchmarks of language models have.
type Settings struct {
	Tokenizer string // path; or one of the values that are none
	DType     payload.DType
	MostInput int            // tokens of a prompt; 0: no limit
	Limits    backend.Prompt // all of a prompt but what it continues
	Cache     int64          // bytes, of keys and values
}

// ReadSettings reads tokenizer, max_prompt_tokens, min_new_tokens, max_new_tokens, eos and kv_cache_mb. Payloads are of
// int32; there are no beams.
func ReadSettings(p *option.Params) Settings {
	s := Settings{
		Tokenizer: p.Text("tokenizer"), DType: payload.Int32, MostInput: p.Int("max_prompt_tokens", 0, math.MaxInt32),
		Limits: backend.Prompt{
			MinNewTokens: p.Int("min_new_tokens", 0, math.MaxInt32), MaxNewTokens: p.Int("max_new_tokens", 1, math.MaxInt32),
			EOS: option.Parse(p, "eos", ParseIDs),
		},
		Cache: int64(p.Int("kv_cache_mb", 1, 1<<24)) << 20,
	}
	if most := s.Limits.MaxNewTokens; s.Limits.MinNewTokens > most && most > 0 {
		p.Fault("min_new_tokens", fmt.Errorf("want at most max_new_tokens = %d", most))
	}
	return s
}

// ParseIDs reads token ids separated by commas.
func ParseIDs(text string) ([]int32, error) {
	var all []int32
	for part := range strings.SplitSeq(text, ",") {
		id, err := strconv.ParseInt(part, 10, 32)
		if err != nil || id < 0 {
			return nil, errors.New("want token ids separated by commas, such as 128001,128009")
		}
		all = append(all, int32(id))
	}
	return all, nil
}

// Pad fills sequences with a token of the tokenizer, an end token where it has one: no model looks at them, but each
// looks them up.
func (s *Settings) Pad(t Tokenizer) {
	if t == nil {
		return
	}
	i := slices.IndexFunc(s.Limits.EOS, func(id int32) bool { return int(id) < t.Size() })
	if i >= 0 {
		s.Limits.PadToken = s.Limits.EOS[i]
	}
}
