package mlconf

import (
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// confFile is a parsed configuration file. If a key occurs more than once, it contains the last value.
type confFile struct {
	source string // path or other name
	values map[string]confValue
}

// badLine is a line that the official LoadGen rejects.
type badLine struct {
	line         int
	officialText string // the official error text
	message      string // our error text
}

// parseConf parses a file by the official rules. Tokens are separated by white space. The first is the key, the second
// must be =, and the others must be numbers, of which the last one counts. A token # ends a line unless a number is
// expected. A key alone is silently ignored. One bad line makes the official LoadGen reject the whole file.
func parseConf(source, text string) (confFile, []badLine) {
	f := confFile{source: source, values: map[string]confValue{}}
	var bad []badLine
	for i, line := range strings.Split(text, "\n") {
		key, v, fault := parseLine(line)
		switch {
		case fault != nil:
			fault.line = i + 1
			bad = append(bad, *fault)
		case v != nil:
			v.line = i + 1
			f.values[key] = *v
		}
	}
	return f, bad
}

// parseLine returns the last value of a line. v is nil for a comment, an empty line or a lone key.
func parseLine(line string) (key string, v *confValue, fault *badLine) {
	tokens := splitWords(line)
	for i, token := range tokens {
		switch {
		case token == "#" && i < 2:
			return key, nil, nil
		case i == 0:
			key = token
		case i == 1 && token != "=":
			return key, nil, &badLine{
				officialText: "want = after the key",
				message:      "want KEY = VALUE with white space around =, found " + strconv.Quote(token) + " after the key",
			}
		case i > 1:
			parsed, ok := parseValue(token)
			if !ok {
				return key, nil, &badLine{
					officialText: "value needs to be integer or double", message: "want a number, found " + strconv.Quote(token),
				}
			}
			v = &parsed
		}
	}
	return key, v, nil
}

// splitWords splits a line at C's white space, which consists of ASCII characters only.
func splitWords(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' })
}

// findKey searches for a key in the official LoadGen's order: model.scenario, *.scenario, model.*, *.*.
func (f confFile) findKey(model, scenario, key string) (full string, v confValue, ok bool) {
	for _, prefix := range []string{model + "." + scenario, "*." + scenario, model + ".*", "*.*"} {
		full = prefix + "." + key
		if v, ok = f.values[full]; ok {
			return full, v, true
		}
	}
	return "", confValue{}, false
}

// allowAllFields allows a file to set all fields, including those that only the rules may set.
func allowAllFields(loadgen.Field) bool { return true }

// applyTo applies the file's values for a model and a scenario. It sets a field that only the rules may set only if
// rules returns true for it. It calls note for each stored value, and unread for each value that LoadGen ignores
// because another setting is missing.
func (f confFile) applyTo(
	s *confSettings, model, scenario string, rules func(loadgen.Field) bool,
	note func(loadgen.Field, string, confValue), unread func(key string, line int, without string),
) {
	for _, field := range fields {
		if field.Key == "" || field.RulesOnly && !rules(field) {
			continue
		}
		under := scenario
		if field.Scenario != "" {
			under = field.Scenario
		}
		key, v, ok := f.findKey(model, under, field.Key)
		switch {
		case !ok:
		case ignoredWithout(field, s) != "":
			unread(key, v.line, ignoredWithout(field, s))
		case storeValue(field, s, v):
			note(field, key, v)
		}
	}
}
