package assemble

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// writtenUserConf returns a user.conf with the settings of a run that its own user.conf, flags and profiles set. It
// names the origin of each setting.
func writtenUserConf(run *record.Run) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "# Settings of this run that rules %s leave to the submitter.\n", run.Rules)
	key := cmp.Or(run.LoadGenKey, "*")
	any := false
	for _, s := range run.Settings {
		if isFromRules(s.Origin) {
			continue
		}
		any = true
		fmt.Fprintf(&text, "# from %s\n%s.%s.%s = %s\n", oneLine(s.Origin), key, run.Scenario, s.Key, s.Value)
	}
	if !any {
		text.WriteString("# There are none.\n")
	}
	return text.Bytes()
}

// isFromRules reports whether a setting comes from the rules or from LoadGen, or only identifies the run.
func isFromRules(origin string) bool {
	return strings.HasPrefix(origin, "rules ") || origin == "LoadGen default" || origin == "this run"
}

// oneLine returns a text as a single line, for use in a comment.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// isSetByFile reports whether all settings of a run that do not come from the rules come from its user.conf.
func isSetByFile(run *record.Run) bool {
	return !slices.ContainsFunc(run.Settings, func(s record.Setting) bool {
		return !isFromRules(s.Origin) && !fromFile.MatchString(s.Origin)
	})
}

// fromFile matches the origin of a setting from a file: "user.conf:3 (resnet50.Server.target_qps)".
var fromFile = regexp.MustCompile(`:\d+ \(`)
