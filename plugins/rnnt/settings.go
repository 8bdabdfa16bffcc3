package rnnt

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// settings are the parameters of a run.
type settings struct {
	form     *form
	tokens   tokens // what the symbols stand for; nil: they are labels
	untimed  bool   // features are made when a sample is loaded
	position bool   // the tensors of the files are bound by their position, whatever they are called
}

func readSettings(r *manifest.Request) settings {
	p := r.Params
	s := settings{
		form:     option.Pick(p, "interface", forms()),
		untimed:  option.Pick(p, "features", map[string]bool{"timed": false, "untimed": true}),
		position: option.Pick(p, "bind", map[string]bool{"name": false, "position": true}),
	}
	path := p.Text("tokens")
	switch {
	case s.form == nil:
		return s
	case s.form.foreign != "":
		tokens, err := readTokens(path)
		r.Fault(err)
		s.tokens = tokens
	case path != "":
		p.Fault("tokens", fmt.Errorf("want none: the symbols of the reference's model are labels"))
	}
	s.checkParts(r)
	return s
}

// checkParts finds parts that the form has and the run has not, and the other way round.
func (s *settings) checkParts(r *manifest.Request) {
	has := map[string]bool{}
	for _, p := range s.form.parts() {
		has[p.name] = true
		if _, given := r.Files[p.name]; !given && p.name == jointPart {
			r.Fault(sdk.Usage(fmt.Errorf("no file for part %s of %s: give --model %[1]s=PATH", p.name, r.Model.Name)))
		}
	}
	if _, given := r.Files[jointPart]; given && !has[jointPart] {
		r.Fault(sdk.Usage(fmt.Errorf("interface = %s has no part %s: its joint network is in the file of part %s",
			s.form.name,
			jointPart, predictionPart)))
	}
}
