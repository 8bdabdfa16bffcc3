package llm

import (
	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// settings are the parameters of a model.
type settings struct {
	language.Settings
	punkt    string // folder of parameters; "": the package's own
	template string // of prompts: {system}, {instruction} and {input} are replaced
}

// readSettings reads all parameters. A tokenizer that the user names says whose defaults they have.
func readSettings(r *manifest.Request) settings {
	r.DefaultsOf("tokenizer")
	return parseSettings(r.Params)
}

func parseSettings(p *option.Params) settings {
	s := settings{
		Settings: language.ReadSettings(p), punkt: p.Text("punkt"), template: option.Parse(p, "prompt", parseTemplate),
	}
	s.DType = option.Parse(p, "dtype", generation.ParseDType)
	l := &s.Limits
	l.Beams, l.EarlyStopping = p.Int("beams", 1, 1024), p.Bool("early_stopping")
	l.LengthPenalty = p.Float("length_penalty", -100, 100)
	return s
}
