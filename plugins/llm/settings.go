package llm

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/accuracy/payload"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// settings are the parameters of a model.
type settings struct {
	tokenizer string // path; "embedded"; "server": text goes over, and comes back
	punkt     string // folder of parameters; "": the package's own
	template  string // of prompts: {system}, {instruction} and {input} are replaced
	dtype     payload.DType
	mostInput int // tokens of a prompt; longer ones lose their end; 0: no limit

	limits backend.Prompt // all but the prompt itself
	cache  int64          // bytes
}

// readSettings reads all parameters. A tokenizer that the user names says whose defaults they have.
func readSettings(r *manifest.Request) settings {
	r.DefaultsOf("tokenizer")
	return parseSettings(r.Params)
}

func parseSettings(p *option.Params) settings {
	s := settings{
		tokenizer: p.Text("tokenizer"), punkt: p.Text("punkt"), template: option.Parse(p, "prompt", parseTemplate),
		dtype: option.Parse(p, "dtype", generation.ParseDType), mostInput: p.Int("max_prompt_tokens", 0, math.MaxInt32),
		limits: backend.Prompt{
			MinNewTokens: p.Int("min_new_tokens", 0, math.MaxInt32), MaxNewTokens: p.Int("max_new_tokens", 1, math.MaxInt32),
			Beams: p.Int("beams", 1, 1024), EarlyStopping: p.Bool("early_stopping"),
			LengthPenalty: p.Float("length_penalty", -100, 100), EOS: option.Parse(p, "eos", parseIDs),
		},
		cache: int64(p.Int("kv_cache_mb", 1, 1<<24)) << 20,
	}
	if most := s.limits.MaxNewTokens; s.limits.MinNewTokens > most && most > 0 {
		p.Fault("min_new_tokens", fmt.Errorf("want at most max_new_tokens = %d", most))
	}
	return s
}

// parseIDs reads token ids separated by commas.
func parseIDs(text string) ([]int32, error) {
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
