package llm

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/plugins/internal/execution"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// settings are the parameters of a model.
type settings struct {
	language.Settings
	punkt    string             // folder of parameters; "": the package's own
	template string             // of prompts: {system}, {instruction} and {input} are replaced
	programs execution.Settings // how programs of MBXP are executed, if they are
}

// readSettings reads all parameters. A tokenizer that the user names says whose defaults they have.
func readSettings(r *manifest.Request) settings {
	r.DefaultsOf("tokenizer")
	s := parseSettings(r.Params)
	if k, _ := kindOf(r.Model.Name); k != mixed && s.programs.Wanted() {
		r.Params.Fault(sdk.ExecuteParam, fmt.Errorf("no answer of %s is a program: want it empty", r.Model.Name))
	}
	return s
}

func parseSettings(p *option.Params) settings {
	s := settings{
		Settings: language.ReadSettings(p), punkt: p.Text("punkt"), template: option.Parse(p, "prompt", parseTemplate),
		programs: execution.Read(p),
	}
	s.DType = option.Parse(p, "dtype", generation.ParseDType)
	l := &s.Limits
	l.Beams, l.EarlyStopping = p.Int("beams", 1, 1024), p.Bool("early_stopping")
	l.LengthPenalty = p.Float("length_penalty", -100, 100)
	return s
}
