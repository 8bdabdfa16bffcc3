package rnnt

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// runSettings contains the parameters of a run.
type runSettings struct {
	Form            *modelForm `param:"interface"`
	UntimedFeatures bool       `param:"features" choices:"timed,untimed"` // compute features when a sample is loaded
	// bind the files' tensors by position, regardless of their names
	BindByPosition bool       `param:"bind" choices:"name,position"`
	TokensPath     string     `param:"tokens"` // path of a file
	tokens         tokenTexts // texts of the symbols; nil: symbols are labels
}

func readSettings(r *manifest.Request) (s runSettings) {
	r.Bind(&s, option.WordReader("interface", modelForms()))
	switch {
	case s.Form == nil:
		return s
	case s.Form.openReason != "":
		tokens, err := readTokens(s.TokensPath)
		r.AddFault(err)
		s.tokens = tokens
	case s.TokensPath != "":
		r.Params.AddFault("tokens", fmt.Errorf("want none: the symbols of the reference's model are labels"))
	}
	s.checkParts(r)
	return s
}

// checkParts reports parts of the form that are missing, and given parts that the form does not have.
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
