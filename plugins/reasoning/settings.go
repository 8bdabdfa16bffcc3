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

// modelSettings are the parameters of a model.
type modelSettings struct {
	language.PromptSettings
	Template string   `param:"prompt"` // of prompts that are text: {input} is replaced
	Send     sentForm `param:"send" choices:"ids,text,chat"`
	Whole    bool     `param:"first_token" choices:"data,token_data"` // token_data stands before data in the log
	Seed     *int64   `param:"seed"`                                  // of the first prompt; nil: none

	Algebra  sympy.GraderChoice `param:"grader"` // what decides where texts do not
	Programs coderun.ProgramSettings
	Problems string `param:"problems"` // path of those that programs are tested by; empty: the plugin's own

	// MaxScored limits the tokens of an answer in an accuracy run, instead of the limit of other runs.
	MaxScored int              `param:"accuracy_max_new_tokens" min:"1" max:"int32"`
	draw      backend.Sampling // but for the seed
}

// drawSettings are the parameters of drawing tokens.
type drawSettings struct {
	Temperature float64 `param:"temperature" min:"0" max:"100"`
	TopP        float64 `param:"top_p" min:"0" max:"1"`
	TopK        *int    `param:"top_k"`
}

// sentForm is what goes to a server.
type sentForm uint8

const (
	asIDs sentForm = iota
	asText
	asChat
)

// readSettings reads all parameters. A tokenizer that the user names says whose defaults they have.
func readSettings(r *manifest.Request) modelSettings {
	r.DefaultsOf("tokenizer")
	s := parseSettings(r.Params)
	if r.Use == sdk.UseAccuracy {
		s.Limits.MaxNewTokens = s.MaxScored
	}
	return s
}

func parseSettings(p *option.Params) (s modelSettings) {
	s.BindParams(p, &s, option.ReaderFunc("prompt", parseTemplate), option.ReaderFunc("seed", parseSeed),
		option.ReaderFunc(sdk.GraderParam, sympy.ParseGrader))
	s.Programs.CheckNeeded(p, s.Algebra.IsExternal())
	var of drawSettings
	option.Bind(p, &of, option.ReaderFunc("top_k", parseTopK))
	s.draw = backend.Sampling{Temperature: &of.Temperature, TopP: &of.TopP, TopK: of.TopK}
	if of.TopP == 0 && p.Err() == nil {
		p.AddFault("top_p", errors.New("want a number above 0, at most 1"))
	}
	return s
}

// drawsTokens reports whether tokens are drawn: at temperature 0 each is the most probable one, as without sampling.
func (s *modelSettings) drawsTokens() bool { return *s.draw.Temperature > 0 }

// promptSampling returns the sampling of prompt i, nil where nothing is drawn. Each prompt has a seed of its own, so
// that questions that are asked several times are not answered alike.
func (s *modelSettings) promptSampling(i int) *backend.Sampling {
	if !s.drawsTokens() {
		return nil
	}
	of := s.draw
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

// templates are the named forms of prompts.
var templates = map[string]string{
	"plain":    "{input}",
	"deepseek": "<｜begin▁of▁sentence｜><｜User｜>{input}<｜Assistant｜>",
	"harmony":  "<|start|>user<|message|>{input}<|end|><|start|>assistant",
}

func parseTemplate(text string) (string, error) {
	if t, ok := templates[text]; ok {
		text = t
	}
	if !strings.Contains(text, "{input}") {
		return "", errors.New("want plain, deepseek, harmony, or a text with {input} where the question belongs")
	}
	return text, nil
}
