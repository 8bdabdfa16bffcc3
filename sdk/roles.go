package sdk

import (
	"fmt"
	"slices"
	"strings"
)

// The roles of options. A role is the harness's use of an option, independent of the option's name. ROLE=VALUE is a
// role with a value.
const (
	RoleElement   = "element"   // element type of the scored payloads
	RoleWritten   = "written"   // how a run writes an answer, if that is an element type; precedes RoleElement
	RoleEnds      = "ends"      // ids of the tokens that end an answer, separated by commas
	RoleTokenizer = "tokenizer" // the tokenizer of the answers: empty or "embedded" for the embedded model's own
	// RoleReplay marks an option with a key in the endpoints harness's configurations of recorded conversations. The
	// key omits the section: replay=temperature, replay=seed, replay=max_new_tokens, replay=turn_timeout_s.
	RoleReplay = "replay"
	RoleMLMark = "mlmark" // an accuracy task of MLMark sets the option to the value: mlmark=top5
)

// Role returns the value of one of the option's roles. ok is false if the option does not have the role.
func (p ParamInfo) Role(role string) (value string, ok bool) {
	for word := range strings.FieldsSeq(p.Roles) {
		if name, value, _ := strings.Cut(word, "="); name == role {
			return value, true
		}
	}
	return "", false
}

// CheckRoles returns an error if a role is unknown, lacks a required value, or has a value that it must not have.
func (p ParamInfo) CheckRoles() error {
	for word := range strings.FieldsSeq(p.Roles) {
		name, value, _ := strings.Cut(word, "=")
		switch {
		case !slices.Contains([]string{RoleElement, RoleWritten, RoleEnds, RoleTokenizer, RoleReplay, RoleMLMark}, name):
			return fmt.Errorf("parameter %q: unknown role %q", p.Name, word)
		case (value != "") != (name == RoleReplay || name == RoleMLMark):
			return fmt.Errorf("parameter %q: role %q, want a value of replay and of mlmark alone, as in mlmark=top5", p.Name,
				word)
		}
	}
	return nil
}

// ParamOf returns the name of the model's first option with a role, or "".
func (m ModelInfo) ParamOf(role string) string {
	for _, p := range m.Params {
		if _, ok := p.Role(role); ok {
			return p.Name
		}
	}
	return ""
}

// ParamsOf returns the names of the options with a role, by the role's value.
func (m ModelInfo) ParamsOf(role string) map[string]string {
	all := map[string]string{}
	for _, p := range m.Params {
		if value, ok := p.Role(role); ok {
			all[value] = p.Name
		}
	}
	return all
}

// WithRoles adds the usual roles of the option names below to a description without any roles, as older plugins send.
// It returns any other description unchanged.
func (d Description) WithRoles() Description {
	for _, m := range d.Models {
		if slices.ContainsFunc(m.Params, func(p ParamInfo) bool { return p.Roles != "" }) {
			return d
		}
	}
	d.Models = slices.Clone(d.Models)
	for i := range d.Models {
		m := &d.Models[i]
		known := m.namedRoles()
		m.Params = slices.Clone(m.Params)
		for k := range m.Params {
			m.Params[k].Roles = known[m.Params[k].Name]
		}
	}
	return d
}

// namedRoles returns the roles of options by their names.
func (m ModelInfo) namedRoles() map[string]string {
	all := map[string]string{
		"dtype": RoleElement, "payload": RoleWritten, "eos": RoleEnds, "tokenizer": RoleTokenizer,
		"mlmark_map": RoleMLMark + "=true",
	}
	if slices.ContainsFunc(m.Params, func(p ParamInfo) bool { return p.Name == "per_class" }) { // only classifiers have it
		all["per_class"] = RoleMLMark + "=5"
		all["payload"] += " " + RoleMLMark + "=top5"
	}
	if m.Replay {
		for name, key := range map[string]string{
			"temperature": "temperature", "seed": "seed", "max_new_tokens": "max_new_tokens", "turn_timeout": "turn_timeout_s",
		} {
			all[name] = RoleReplay + "=" + key
		}
	}
	return all
}
