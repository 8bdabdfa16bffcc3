package whisper

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// modelSettings contains the parameters of a model.
type modelSettings struct {
	Tokenizer string  `param:"tokenizer"` // path; "embedded"; "server": answers are text
	PromptIDs []int32 `param:"prompt"`    // first tokens of the decoder's input
	EndIDs    []int32 `param:"eos"`       // tokens that end an answer
	MaxTokens int     `param:"max_new_tokens" min:"1" max:"int32"`
	// number of mel filters if the encoder does not declare it
	Mels       int            `param:"mels"`
	CacheBytes int64          `param:"kv_cache_mb" min:"1" max:"1<<24" times:"1<<20"` // bytes
	CopyState  bool           `param:"copy_state" choices:"no,yes"`                   // the decoder's state may be copied
	DType      accuracy.DType `param:"dtype"`
}

// readSettings reads all parameters. A tokenizer that the user names determines which defaults apply.
func readSettings(r *manifest.Request) modelSettings {
	r.DefaultsOf("tokenizer")
	return parseSettings(r.Params)
}

func parseSettings(p *option.Params) (s modelSettings) {
	option.Bind(p, &s, option.ReaderFunc("prompt", parseIDs), option.ReaderFunc("eos", parseIDs),
		option.ReaderFunc("mels", option.WholeNumber(1, maxMels)), option.ReaderFunc("dtype", wer.DTypes().Parse))
	return s
}

// firstSpecial returns the first token ID that is not text, which is an end token. Higher IDs are not text either.
func (s *modelSettings) firstSpecial() int32 {
	if len(s.EndIDs) == 0 {
		return 0
	}
	return slices.Min(s.EndIDs)
}

// parseIDs parses token IDs separated by commas.
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
