package language

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// PromptSettings contains the common parameters of language-model benchmarks.
type PromptSettings struct {
	Tokenizer string `param:"tokenizer"` // path, or a value such as EmbeddedTokenizer
	DType     accuracy.DType
	// limit of tokens per prompt; 0: no limit
	MaxPromptTokens int            `param:"max_prompt_tokens" min:"0" max:"int32"`
	Limits          backend.Prompt // prompt with the limits of answers but without content
	CacheBytes      int64          `param:"kv_cache_mb" min:"1" max:"1<<24" times:"1<<20"` // bytes of the key-value cache
}

// AnswerLengths contains the parameters that limit answers.
type AnswerLengths struct {
	Min  int     `param:"min_new_tokens" min:"0" max:"int32"`
	Max  int     `param:"max_new_tokens" min:"1" max:"int32"`
	Ends []int32 `param:"eos"`
}

// BindParams reads the parameters of a benchmark into settings, which must be a pointer. s is the part of the settings
// that this package defines. It sets payloads of int32 and one beam.
func (s *PromptSettings) BindParams(p *option.Params, settings any, readers ...option.ParamReader) {
	var l AnswerLengths
	option.Bind(p, &l, option.ReaderFunc("eos", ParseIDs))
	option.Bind(p, settings, readers...)
	s.DType = accuracy.Int32
	s.Limits = backend.Prompt{MinNewTokens: l.Min, MaxNewTokens: l.Max, EOS: l.Ends}
	if l.Min > l.Max && l.Max > 0 {
		p.AddFault("min_new_tokens", fmt.Errorf("want at most max_new_tokens = %d", l.Max))
	}
}

// ParseIDs parses token IDs separated by commas.
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

// SetPadToken sets the token that pads sequences. It is an end token if there is one. Models ignore it, but their
// embedding layer requires a valid ID.
func (s *PromptSettings) SetPadToken(t TextTokenizer) {
	if t == nil {
		return
	}
	i := slices.IndexFunc(s.Limits.EOS, func(id int32) bool { return int(id) < t.Size() })
	if i >= 0 {
		s.Limits.PadToken = s.Limits.EOS[i]
	}
}
