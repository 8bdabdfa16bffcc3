package whisper

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/payload"
	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// settings are the parameters of a model.
type settings struct {
	tokenizer string  // path; "embedded"; "server": text comes back
	prompt    []int32 // what the decoder is given first
	ends      []int32 // tokens that end an answer
	most      int     // tokens of an answer
	mels      int     // filters, where the encoder does not say
	cache     int64   // bytes
	copies    bool    // states may be copied at each step
	dtype     payload.DType
}

// readSettings reads all parameters. A tokenizer that the user names says whose defaults they have.
func readSettings(r *manifest.Request) settings {
	r.DefaultsOf("tokenizer")
	return parseSettings(r.Params)
}

func parseSettings(p *option.Params) settings {
	return settings{
		tokenizer: p.Text("tokenizer"),
		prompt:    option.Parse(p, "prompt", parseIDs), ends: option.Parse(p, "eos", parseIDs),
		most: p.Int("max_new_tokens", 1, math.MaxInt32), mels: p.Int("mels", 1, mostMels),
		cache:  int64(p.Int("kv_cache_mb", 1, 1<<24)) << 20,
		copies: option.Pick(p, "copy_state", map[string]bool{"yes": true, "no": false}),
		dtype:  option.Parse(p, "dtype", wer.DTypes().Parse),
	}
}

// special is the first id that is no text: an end token. Those behind it are none either.
func (s *settings) special() int32 {
	if len(s.ends) == 0 {
		return 0
	}
	return slices.Min(s.ends)
}

// parseIDs reads token ids separated by commas.
func parseIDs(text string) ([]int32, error) {
	var all []int32
	for part := range strings.SplitSeq(text, ",") {
		id, err := strconv.ParseInt(strings.TrimSpace(part), 10, 32)
		if err != nil || id < 0 {
			return nil, errors.New("want token ids separated by commas, such as 50258,50259,50360,50364")
		}
		all = append(all, int32(id))
	}
	return all, nil
}
