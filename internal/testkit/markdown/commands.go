package markdown

import (
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// Blanks are spaces beside one another.
var Blanks = regexp.MustCompile(` +`)

// Commands are the harness's commands of a document by the heading above them, up to a heading (empty: all of it), and
// the settings that it shows. What is optional in a command, in brackets, is left out, and so is what a shell would.
func Commands(t *testing.T, document, upTo string) (commands map[string][][]string, conf string) {
	t.Helper()
	text := testfile.Read(t, document)
	if upTo != "" {
		text, _, _ = strings.Cut(text, "\n## "+upTo)
	}
	commands, heading := map[string][][]string{}, ""
	for line := range strings.Lines(text) {
		if name := strings.TrimLeft(line, "#"); name != line {
			heading = strings.TrimSpace(name)
		}
		switch code, ok := strings.CutPrefix(line, "    "); {
		case !ok:
		case strings.HasPrefix(code, "harness "):
			args, _, _ := strings.Cut(optional.ReplaceAllString(code, ""), "   ") // words that explain it
			commands[heading] = append(commands[heading], strings.Fields(args)[1:])
		case strings.Contains(code, " = "):
			conf += code
		}
	}
	return commands, conf
}

// optional is what a command may have in addition.
var optional = regexp.MustCompile(`\[[^\]]*\]`)
