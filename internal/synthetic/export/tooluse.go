package export

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/conversations"
	"github.com/plumbline-ml/plumbline/internal/synthetic/tooluse"
)

// toolSet contains files of package tooluse by their names. Each file has a line for each row.
type toolSet map[string][]string

// Len returns the number of rows of all files.
func (s toolSet) Len() (n int) {
	for _, rows := range s {
		n += len(rows)
	}
	return n
}

func toolQuestions() toolSet {
	s := toolSet{}
	for _, q := range tooluse.Questions() {
		name := "data/BFCL_v4_" + q.Subset + ".json"
		s[name] = append(s[name], q.Row)
		if q.Answer != "" {
			name = "data/possible_answer/BFCL_v4_" + q.Subset + ".json"
			s[name] = append(s[name], q.Answer)
		}
	}
	return s
}

func toolConversations() toolSet { return toolSet{conversations.OfficialName: tooluse.Rows()} }

// Tools writes questions or conversations to the folder dir: bfcl-eval's data, or the file of recorded conversations.
// They can only be written whole: first and end must include all rows.
func Tools(ctx context.Context, dir string, set toolSet, first, end int) error {
	if first != 0 || end != set.Len() {
		return errors.New("questions and conversations are written whole: leave the range out")
	}
	var faults []error
	for name, rows := range set {
		path := filepath.Join(dir, filepath.FromSlash(name))
		faults = append(faults, ctx.Err(), os.MkdirAll(filepath.Dir(path), 0o777),
			os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o666))
	}
	return errors.Join(faults...)
}

// ToolSets returns the writer of questions that are answered by function calls, and of conversations of an agent, to
// folders.
func ToolSets() SetWriter {
	return newWriter(Tools, namedSets[toolSet]{"conversations": toolConversations, "questions": toolQuestions})
}
