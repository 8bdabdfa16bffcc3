package rnnt

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// runSettings are the parameters of a run.
type runSettings struct {
	Form     *modelForm `param:"interface"`
	Untimed  bool       `param:"features" choices:"timed,untimed"` // features are made when a sample is loaded
	Position bool       `param:"bind" choices:"name,position"`     // of the files' tensors, whatever they are called
	Tokens   string     `param:"tokens"`                           // path
	tokens   tokenTexts // what the symbols stand for; nil: they are labels
}

func readSettings(r *manifest.Request) (s runSettings) {
	r.Bind(&s, option.WordReader("interface", modelForms()))
	switch {
	case s.Form == nil:
		return s
	case s.Form.openReason != "":
		tokens, err := readTokens(s.Tokens)
		r.AddFault(err)
		s.tokens = tokens
	case s.Tokens != "":
		r.Params.AddFault("tokens", fmt.Errorf("want none: the symbols of the reference's model are labels"))
	}
	s.checkParts(r)
	return s
}

// checkParts finds parts that the form has and the run has not, and the other way round.
func (s *runSettings) checkParts(r *manifest.Request) {
	has := map[string]bool{}
	for _, p := range s.Form.parts() {
		has[p.name] = true
		if _, given := r.Files[p.name]; !given && p.name == jointPart {
			r.AddFault(sdk.Usage(fmt.Errorf("no file for part %s of %s: give --model %[1]s=PATH", p.name, r.Model.Name)))
		}
	}
	if _, given := r.Files[jointPart]; given && !has[jointPart] {
		r.AddFault(sdk.Usage(fmt.Errorf("interface = %s has no part %s: its joint network is in the file of part %s",
			s.Form.name,
			jointPart, predictionPart)))
	}
}
