package mlconf

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// ConfType selects the configuration of a call of [Official.FromConfig]. The numbers are those of the official LoadGen.
type ConfType int

// The type of a file determines which lines count and which settings they override.
const (
	ConfRules ConfType = iota // only the rules' defaults; the file is ignored
	ConfUser                  // a user.conf; the first call applies the rules' defaults first
	ConfAudit                 // an audit.config: only the file
)

// The return codes of the official LoadGen's C API.
const (
	CodeOK       = 0
	CodeNotFound = -2  // no such file
	CodeInvalid  = -22 // unreadable line: no line of the file was applied
)

// Official applies configuration files like the official LoadGen's FromConfig, with its return codes. It is for tools
// that must repeat this behaviour and for audit.config files. For a user's own settings, use [Load], which reports the
// faults that FromConfig hides. The zero value uses the newest rules.
type Official struct {
	Rules string // round; empty means the newest
	Of    *Rules // a round that is already read and replaces Rules; may be nil
	// Errors contains the entries (error_invalid_config) that the official LoadGen would have logged.
	Errors []string

	userConfs int
}

// FromConfig applies text to s for a model and a scenario. A nil text means that the file does not exist. The scenario
// may be any text. If no key names it, only keys with "*" and the keys of a fixed scenario apply.
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
		o.Errors = append(o.Errors, fmt.Sprintf("%s, line=%d", b.officialText, b.line))
	}
	if len(bad) > 0 {
		return CodeInvalid, nil
	}
	round, err := o.rules()
	if err != nil {
		return 0, err
	}
	keys := keysOfRound(round)
	f.applySilently(s, model, scenario, keys.setsField)
	if keys.oldRules {
		f.applyArrivals(s, model, func(loadgen.Field, string, confValue) {})
	}
	return CodeOK, nil
}

// rules returns the round whose LoadGen reads the files.
func (o *Official) rules() (*Rules, error) {
	if o.Of != nil {
		return o.Of, nil
	}
	return Round(o.Rules)
}

func (o *Official) applyRules(s *loadgen.TestSettings, model, scenario string) error {
	round, err := o.rules()
	if err != nil {
		return err
	}
	f, err := round.defaults()
	if err != nil {
		return err
	}
	f.applySilently(s, model, scenario, allowAllFields)
	return nil
}

func (f confFile) applySilently(s *loadgen.TestSettings, model, scenario string, rules func(loadgen.Field) bool) {
	f.applyTo(s, model, scenario, rules, func(loadgen.Field, string, confValue) {}, func(string, int, string) {})
}
