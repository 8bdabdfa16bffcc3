package mlconf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
)

// Check returns the faults of a user.conf: lines that the official LoadGen rejects, and lines that it accepts but
// ignores or changes silently. Lines of models other than model cause a note; an empty model means all models. If
// ignoreUnknown is true, unknown keys and scenarios also cause a note. LoadGen's keys depend on the round, and a nil
// round means the newest. Up to v4.1 LoadGen read the seeds, and up to v1.1 MultiStream's target_qps and
// max_async_queries. Files of rounds up to v1.1 contain keys that their LoadGen ignored, which cause notes.
func Check(source, text, model string, round *Rules, ignoreUnknown bool) ([]Problem, []Note) {
	return newChecker(source, model, round, ignoreUnknown).checkAll(text)
}

func newChecker(source, model string, round *Rules, ignoreUnknown bool) *confChecker {
	return &confChecker{source: source, model: model, ignoreUnknown: ignoreUnknown, keys: keysOfRound(round),
		seen: map[string]int{}, ignored: ignoredLines{}}
}

func (c *confChecker) checkAll(text string) ([]Problem, []Note) {
	for i, line := range strings.Split(text, "\n") {
		c.line = i + 1
		c.checkLine(line)
	}
	return c.problems, c.ignored.toNotes(c.source)
}

type confChecker struct {
	source        string
	model         string // the run's model; empty: any
	audit         bool   // the file is an audit.config
	keys          confKeys
	ignoreUnknown bool
	seen          map[string]int // first line of each key
	line          int
	problems      []Problem
	ignored       ignoredLines
}

func (c *confChecker) addFault(key, format string, args ...any) {
	c.problems = append(c.problems, Problem{Source: c.source, Line: c.line, Key: key, Text: fmt.Sprintf(format, args...)})
}

func (c *confChecker) checkLine(line string) {
	key, v, bad := parseLine(line)
	tokens := splitWords(line)
	switch {
	case bad != nil && strings.HasPrefix(key, "#"):
		c.addFault("", "a comment needs a space after #")
	case bad != nil:
		c.addFault(key, "%s%s", bad.message, commentHint(tokens))
	case key == "" || strings.HasPrefix(key, "#"):
	case v == nil:
		c.addFault(key, "has no value: want KEY = VALUE with white space around =")
	case len(tokens) > 3:
		c.addFault(key, "has %d values, want one", len(tokens)-2)
	default:
		c.checkSetting(key, *v)
	}
}

func commentHint(tokens []string) string {
	if slices.ContainsFunc(tokens, func(t string) bool { return strings.HasPrefix(t, "#") }) {
		return "; a comment needs a line of its own"
	}
	return ""
}

// checkSetting checks a well-formed line.
func (c *confChecker) checkSetting(full string, v confValue) {
	model, scenario, key, ok := splitKey(full)
	if ok && c.isOtherModel(model) {
		return
	}
	if first, twice := c.seen[full]; twice {
		c.ignored.addLine("set again below (%s): of equal keys the last counts", first, full)
	}
	c.seen[full] = c.line
	switch {
	case !ok:
		c.addFault(full, "want MODEL.SCENARIO.KEY, each of the first two possibly *")
	case c.audit && verificationKey.MatchString(key):
		c.ignored.addLine("%s: kept for the audit's own script, LoadGen does not read it", c.line, key)
	case !slices.Contains(scenarioNames(), scenario):
		c.addUnknown(full, "scenario", scenario, scenarioNames())
	default:
		c.checkField(full, scenario, key, v)
	}
}

// isOtherModel reports whether a line is of a model for which the file is not read, and adds a note. If the name is
// similar to the run's model, the note says that it is another one.
func (c *confChecker) isOtherModel(model string) bool {
	switch {
	case model == "*" || !c.audit && (c.model == "" || model == c.model):
		return false
	case c.audit:
		c.ignored.addLine("of single models (%s): of audit settings only lines of * count", c.line, model)
	case suggest.Nearest(model, []string{c.model}) != "":
		c.ignored.addLine("of %s, which is not "+c.model+": ignored", c.line, model)
	default:
		c.ignored.addLine("of other models (%s): ignored in a run of "+c.model, c.line, model)
	}
	return true
}

// verificationKey matches keys that only the verification scripts of the audits read.
var verificationKey = regexp.MustCompile(`^test\d\d_`)

// addUnknown adds a fault that names the nearest known word. If unknown words are allowed, it adds a note.
func (c *confChecker) addUnknown(full, what, word string, known []string) {
	switch {
	case c.ignoreUnknown || c.keys.oldRules:
		c.ignored.addLine("LoadGen does not know %s: ignored", c.line, word)
	case len(c.problems) < maxFaults: // later faults are not printed and need no suggestion
		c.addFault(full, "unknown %s %q%s", what, word, nearestWord(word, known))
	default:
		c.addFault(full, "unknown %s", what)
	}
}

// checkField checks the last part of a key and its value.
func (c *confChecker) checkField(full, scenario, key string, v confValue) {
	fields := fieldsWithKey(key)
	if c.keys.oldRules && scenario == loadgen.MultiStream.String() && (key == arrivalRate || key == asyncQueries) {
		c.checkArrivals(full, key, v)
		return
	}
	if len(fields) == 0 {
		c.addUnknown(full, "key", key, allKeys())
		return
	}
	for _, f := range fields {
		if scenario != "*" && f.Scenario != "" && f.Scenario != scenario {
			continue
		}
		switch fault := checkValue(f, v); {
		case f.RulesOnly && !c.keys.setsField(f):
			c.addFault(full, "is ignored in a user.conf: the rules set it")
		case fault != "":
			c.addFault(full, "%s", fault)
		}
		return
	}
	if c.keys.oldRules {
		c.ignored.addLine("the round's LoadGen does not read %s: ignored", c.line, scenario+"."+key)
		return
	}
	c.addFault(full, "is ignored under %s: it is read under %s", scenario, scenarioList(fields))
}

func scenarioList(fields []loadgen.Field) string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Scenario)
	}
	return strings.Join(names, ", ")
}

func scenarioNames() []string {
	names := []string{"*"}
	for _, s := range loadgen.Scenarios() {
		names = append(names, s.String())
	}
	return names
}

func fieldsWithKey(key string) []loadgen.Field {
	var list []loadgen.Field
	for _, f := range fields {
		if f.Key == key && key != "" {
			list = append(list, f)
		}
	}
	return list
}

func allKeys() []string {
	var keys []string
	for _, f := range fields {
		if f.Key != "" && !f.RulesOnly {
			keys = append(keys, f.Key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// nearestWord returns a text that suggests the known word nearest to an unknown one, or lists all of them.
func nearestWord(word string, known []string) string {
	if near := suggest.Nearest(word, known); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ", want one of " + strings.Join(known, ", ")
}
