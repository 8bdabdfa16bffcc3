package mixture

import (
	"slices"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/preprocess/text/pystr"
)

// Program is the source that a model wrote for a task of MBXP.
type Program struct {
	Sample   int
	ID       string // of the task: language_name
	Language string // what stands before the first underscore of the ID
	Source   string
}

// languages are those that the official script runs; programs in others do not count.
var languages = []string{"cpp", "python", "php", "javascript", "ruby", "typescript"}

// newProgram extracts the source from an answer: what stands before the end of the code block. ok is false for a
// language that does not count.
func newProgram(sample int, id, answer string) (p Program, ok bool) {
	language, _, _ := strings.Cut(id, "_")
	source, _, _ := strings.Cut(answer, "```")
	if language == "python" {
		source = strings.TrimLeftFunc(source, pystr.IsSpace)
	}
	source = strings.ReplaceAll(source, `\_`, "_") // the model escapes underscores, as in Markdown
	return Program{sample, id, language, source}, slices.Contains(languages, language)
}

// blank tells whether a program has no source at all.
func (p Program) blank() bool { return strings.TrimFunc(p.Source, unicode.IsSpace) == "" }
