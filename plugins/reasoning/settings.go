package reasoning

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/plugins/internal/coderun"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/plugins/internal/sympy"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// modelSettings contains the parameters of a model.
type modelSettings struct {
	language.PromptSettings
	Template string   `param:"prompt"` // template for text questions, with {input}
	SentForm sentForm `param:"send" choices:"ids,text,chat"`
	// the log's data must be prepended with token_data
	PrependTokenData bool   `param:"first_token" choices:"data,token_data"`
	Seed             *int64 `param:"seed"` // seed of the first prompt; nil: no seed

	Algebra  sympy.GraderChoice `param:"grader"` // decides whether answers are equal if their texts differ
	Programs coderun.ProgramSettings
	Problems string `param:"problems"` // path of the problems that test programs; empty: the embedded ones

	// MaxAccuracyTokens is the limit of tokens per answer in an accuracy run; other runs have another limit.
	MaxAccuracyTokens int              `param:"accuracy_max_new_tokens" min:"1" max:"int32"`
	sampling          backend.Sampling // sampling without the seed
}

// samplingSettings contains the parameters of sampling tokens.
type samplingSettings struct {
	Temperature float64 `param:"temperature" min:"0" max:"100"`
	TopP        float64 `param:"top_p" min:"0" max:"1"`
	TopK        *int    `param:"top_k"`
}

// sentForm is the form in which a prompt is sent to a server.
type sentForm uint8

const (
	asIDs sentForm = iota
	asText
	asChat
)

// readSettings reads all parameters. A tokenizer that the user names determines which defaults apply.
func readSettings(r *manifest.Request) modelSettings {
	r.DefaultsOf("tokenizer")
	s := parseSettings(r.Params)
	if r.Use == sdk.UseAccuracy {
		s.Limits.MaxNewTokens = s.MaxAccuracyTokens
	}
	return s
}

func parseSettings(p *option.Params) (s modelSettings) {
	s.BindParams(p, &s, option.ReaderFunc("prompt", parseTemplate), option.ReaderFunc("seed", parseSeed),
		option.ReaderFunc(sdk.GraderParam, sympy.ParseGrader))
	s.Programs.CheckNeeded(p, s.Algebra.IsExternal())
	var of samplingSettings
	option.Bind(p, &of, option.ReaderFunc("top_k", parseTopK))
	s.sampling = backend.Sampling{Temperature: &of.Temperature, TopP: &of.TopP, TopK: of.TopK}
	if of.TopP == 0 && p.Err() == nil {
		p.AddFault("top_p", errors.New("want a number above 0, at most 1"))
	}
	return s
}

// drawsTokens reports whether tokens are sampled. At temperature 0, the most probable token is chosen instead.
func (s *modelSettings) drawsTokens() bool { return *s.sampling.Temperature > 0 }

// promptSampling returns the sampling of prompt i, or nil if tokens are not sampled. Each prompt has its own seed, so
// that repeated questions get different answers.
func (s *modelSettings) promptSampling(i int) *backend.Sampling {
	if !s.drawsTokens() {
		return nil
	}
	of := s.sampling
	if s.Seed != nil {
		seed := *s.Seed + int64(i)
		of.Seed = &seed
	}
	return &of
}

func parseSeed(text string) (*int64, error) {
	if text == "" {
		return nil, nil
	}
	seed, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seed < 0 || seed > math.MaxInt32 {
		return nil, errors.New("want a whole number from 0 to 2147483647, or nothing for none")
	}
	return &seed, nil
}

func parseTopK(text string) (*int, error) {
	k, err := strconv.Atoi(text)
	if err != nil || k < 1 && k != -1 {
		return nil, errors.New("want a number of tokens, or -1 for all")
	}
	return &k, nil
}

// promptTemplates contains the named forms of prompts.
var promptTemplates = map[string]string{
	"plain":    "{input}",
	"deepseek": "<｜begin▁of▁sentence｜><｜User｜>{input}<｜Assistant｜>",
	"harmony":  "<|start|>user<|message|>{input}<|end|><|start|>assistant",
}

func parseTemplate(text string) (string, error) {
	if t, ok := promptTemplates[text]; ok {
		text = t
	}
	if !strings.Contains(text, "{input}") {
		return "", errors.New("want plain, deepseek, harmony, or a text with {input} where the question belongs")
	}
	return text, nil
}
