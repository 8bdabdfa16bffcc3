package llm

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/plugins/internal/coderun"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// modelSettings contains the parameters of a model.
type modelSettings struct {
	language.PromptSettings
	PunktFolder string                  `param:"punkt"`  // folder of parameters; "": those of package punkt
	Template    string                  `param:"prompt"` // template of prompts, with {system}, {instruction} and {input}
	Programs    coderun.ProgramSettings // execution of MBXP's programs
}

// searchSettings contains the parameters of payloads and of the beam search.
type searchSettings struct {
	DType         accuracy.DType `param:"dtype"`
	Beams         int            `param:"beams" min:"1" max:"1024"`
	EarlyStopping bool           `param:"early_stopping"`
	LengthPenalty float64        `param:"length_penalty" min:"-100" max:"100"`
}

// readSettings reads all parameters. A tokenizer that the user names determines which defaults apply.
func readSettings(r *manifest.Request) modelSettings {
	r.DefaultsOf("tokenizer")
	s := parseSettings(r.Params)
	if k, _ := modelDataset(r.Model.Name); k != mixedData && s.Programs.RunsPrograms() {
		r.Params.AddFault(sdk.ExecuteParam, fmt.Errorf("no answer of %s is a program: want it empty", r.Model.Name))
	}
	return s
}

func parseSettings(p *option.Params) (s modelSettings) {
	s.BindParams(p, &s, option.ReaderFunc("prompt", parseTemplate))
	s.Programs.CheckNeeded(p, false)
	var of searchSettings
	option.Bind(p, &of, option.ReaderFunc("dtype", generation.ParseDType))
	s.DType = of.DType
	l := &s.Limits
	l.Beams, l.EarlyStopping, l.LengthPenalty = of.Beams, of.EarlyStopping, of.LengthPenalty
	return s
}
