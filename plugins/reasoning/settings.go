package reasoning

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/plugins/internal/execution"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/plugins/internal/sympy"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// settings are the parameters of a model.
type settings struct {
	language.Settings
	template string // of prompts that are text: {input} is replaced
	send     form
	draw     backend.Sampling // but for the seed
	seed     *int64           // of the first prompt; nil: none
	whole    bool             // token_data stands before data in the log

	algebra  sympy.Grader // what decides where texts do not
	programs execution.Settings
	problems string // path of those that programs are tested by; empty: the plugin's own
}

// form is what goes to a server.
type form uint8

const (
	asIDs form = iota
	asText
	asChat
)

// readSettings reads all parameters. A tokenizer that the user names says whose defaults they have.
func readSettings(r *manifest.Request) settings {
	r.DefaultsOf("tokenizer")
	s := parseSettings(r.Params)
	if most := r.Params.Int("accuracy_max_new_tokens", 1, math.MaxInt32); r.Use == sdk.UseAccuracy {
		s.Limits.MaxNewTokens = most
	}
	return s
}

func parseSettings(p *option.Params) settings {
	s := settings{
		Settings: language.ReadSettings(p), template: option.Parse(p, "prompt", parseTemplate),
		send:  option.Pick(p, "send", map[string]form{"ids": asIDs, "text": asText, "chat": asChat}),
		whole: option.Pick(p, "first_token", map[string]bool{"data": false, "token_data": true}),
		seed:  option.Parse(p, "seed", parseSeed),

		algebra:  option.Parse(p, sdk.GraderParam, sympy.Parse),
		programs: execution.Read(p), problems: p.Text("problems"),
	}
	temperature, topP := p.Float("temperature", 0, 100), p.Float("top_p", 0, 1)
	s.draw = backend.Sampling{Temperature: &temperature, TopP: &topP, TopK: option.Parse(p, "top_k", parseTopK)}
	if topP == 0 && p.Err() == nil {
		p.Fault("top_p", errors.New("want a number above 0, at most 1"))
	}
	return s
}

// samples says whether tokens are drawn: at temperature 0 each is the most probable one, as without sampling.
func (s *settings) samples() bool { return *s.draw.Temperature > 0 }

// sampling is that of prompt i, nil where nothing is drawn. Each prompt has a seed of its own, so that questions that
// are asked several times are not answered alike.
func (s *settings) sampling(i int) *backend.Sampling {
	if !s.samples() {
		return nil
	}
	of := s.draw
	if s.seed != nil {
		seed := *s.seed + int64(i)
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
