package mlconf

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// ConfType says which configuration a call of [Official.FromConfig] means, numbered as in the official LoadGen.
type ConfType int

// What a file is read as decides which lines count, and over what.
const (
	ConfRules ConfType = iota // the rules' defaults alone; the file is ignored
	ConfUser                  // a user.conf; the rules' defaults come first in the first call
	ConfAudit                 // an audit.config: the file alone
)

// What the official LoadGen returns of a file, as its C API has it.
const (
	CodeOK       = 0
	CodeNotFound = -2  // no such file
	CodeInvalid  = -22 // a line that cannot be read: nothing of the file was applied
)

// Official applies configuration files as the official LoadGen's FromConfig does, with its return codes: for tools
// that must repeat its behaviour, and for audit.config files. A user's own settings are better served by [Load],
// which says what FromConfig hides. The zero value uses the newest rules.
type Official struct {
	Rules string // round; empty: the newest
	Of    *Rules // the round where it is read already, in place of Rules; may be nil
	// Errors are the entries (error_invalid_config) that the official LoadGen would have logged.
	Errors []string

	userConfs int
}

// FromConfig applies text (nil: the file does not exist) to s for a model and a scenario. The scenario is any text: one
// that no key names matches only keys with "*", and the keys of a fixed scenario.
func (o *Official) FromConfig(
	s *loadgen.TestSettings, text *string, model, scenario string, conf ConfType,
) (code int, err error) {
	if conf == ConfUser {
		o.userConfs++
		if o.userConfs > 1 {
			o.Errors = append(o.Errors, "Multiple conf files are used. This is not valid for official submission.")
		}
	}
	if conf == ConfRules || conf == ConfUser && o.userConfs == 1 {
		if err := o.applyRules(s, model, scenario); err != nil {
			return 0, err
		}
	}
	if conf == ConfRules {
		return CodeOK, nil
	}
	if text == nil {
		return CodeNotFound, nil
	}
	f, bad := parseConf("", *text)
	for _, b := range bad {
		o.Errors = append(o.Errors, fmt.Sprintf("%s, line=%d", b.text, b.line))
	}
	if len(bad) > 0 {
		return CodeInvalid, nil
	}
	round, err := o.roundOf()
	if err != nil {
		return 0, err
	}
	keys := keysOf(round)
	f.applySilently(s, model, scenario, keys.setsField)
	if keys.old {
		f.applyArrivals(s, model, func(loadgen.Field, string, confValue) {})
	}
	return CodeOK, nil
}

// roundOf is that whose LoadGen reads the files.
func (o *Official) roundOf() (*Rules, error) {
	if o.Of != nil {
		return o.Of, nil
	}
	return Round(o.Rules)
}

func (o *Official) applyRules(s *loadgen.TestSettings, model, scenario string) error {
	round, err := o.roundOf()
	if err != nil {
		return err
	}
	f, err := round.defaults()
	if err != nil {
		return err
	}
	f.applySilently(s, model, scenario, everyField)
	return nil
}

func (f confFile) applySilently(s *loadgen.TestSettings, model, scenario string, rules func(loadgen.Field) bool) {
	f.applyTo(s, model, scenario, rules, func(loadgen.Field, string, confValue) {}, func(string, int, string) {})
}
