package plan

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/division"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/tune"
)

// NoTuning is the value of Model.Tuning that leaves profiles alone.
const NoTuning = "none"

// namedProfile is the profile that the request names; nil: it names none.
func (m Model) namedProfile() (*tune.Profile, error) {
	if m.Tuning == "" || m.Tuning == NoTuning {
		return nil, nil
	}
	profile, err := tune.Load(m.Tuning)
	if err != nil {
		return nil, sdk.Usage(fmt.Errorf("--tuning: %w", err))
	}
	return &profile, nil
}

// useProfile lets the runs use the profile that the request names, or else the one that fits, if there is one.
func (p *Plan) useProfile(r Request, named *tune.Profile) error {
	switch {
	case r.Model.Tuning == NoTuning:
		return nil
	case named != nil:
		return p.tuneNamed(r, named)
	}
	return p.tuneFound(r)
}

// tuneFound uses the profile that fits the plan.
func (p *Plan) tuneFound(r Request) error {
	if r.Model.Profiles == "" || p.Division == division.Network { // a batch of the profile would be work at the client
		return nil
	}
	path, profile, ignored, err := tune.Store{Dir: r.Model.Profiles}.Find(p.Subject(r))
	p.Tuning.Notes = ignored
	if err != nil || profile == nil {
		return err
	}
	if flags := p.settingFlags(); len(flags) > 0 {
		p.Tuning.Notes = append(p.Tuning.Notes, fmt.Sprintf("%s is not used: %s given", path, strings.Join(flags, ", ")))
		return nil
	}
	offline := func(t Run) bool { return t.Scenario == loadgen.Offline }
	if profile.Offline != nil && !profile.Offline.Decided && slices.ContainsFunc(p.Runs, offline) {
		p.Tuning.Notes = append(p.Tuning.Notes, fmt.Sprintf(
			"the setting of %s for Offline is not used: harness tune called it not certain (--tuning %[1]s uses it); what it "+
				"reached says how many samples a run takes", path))
	}
	return p.apply(path, profile, false)
}

// tuneNamed uses the profile that the user named. It may be one of another machine, which the plan then says.
func (p *Plan) tuneNamed(r Request, profile *tune.Profile) error {
	subject := p.Subject(r)
	for _, part := range []struct{ what, has, want string }{
		{"model", profile.For.Model, subject.Model}, {"backend", profile.For.Backend, subject.Backend},
	} {
		if part.has != part.want {
			return sdk.Usage(fmt.Errorf(
				"--tuning %s: it is for the %s %s, not %s; harness tune makes one", r.Model.Tuning, part.what, part.has, part.want))
		}
	}
	why, err := profile.Mismatch(subject)
	if err != nil {
		return err
	}
	if why == "" && !profile.For.Same(subject.Key) {
		why = "another precision, model file, data set, options or devices"
	}
	if why != "" {
		p.Tuning.Notes = append(p.Tuning.Notes, "it was measured with "+why)
	}
	return p.apply(r.Model.Tuning, profile, true)
}

// Subject is what a profile has to fit.
func (p *Plan) Subject(r Request) tune.Subject {
	info := r.Described()
	return tune.Subject{
		Key: p.key(), Machine: tune.Machine{CPU: info.CPU, Cores: info.MaxProcs},
		PluginSHA256: sync.OnceValues(func() (string, error) {
			sum, _, err := checksum.File(p.Served.Path)
			return sum, plugin.Fault(err)
		}),
	}
}
