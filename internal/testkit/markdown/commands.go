package markdown

import (
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// Blanks matches consecutive spaces.
var Blanks = regexp.MustCompile(` +`)

// Commands returns the harness's commands in a document by the headings above them, up to the heading upTo (empty: all
// of the document), and the settings in the document. It removes optional parts of commands in brackets, and text that
// a shell removes.
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
			// text after three spaces is an explanation
			args, _, _ := strings.Cut(optionalPart.ReplaceAllString(code, ""), "   ")
			commands[heading] = append(commands[heading], strings.Fields(args)[1:])
		case strings.Contains(code, " = "):
			conf += code
		}
	}
	return commands, conf
}

// optionalPart matches optional parts of a command.
var optionalPart = regexp.MustCompile(`\[[^\]]*\]`)
