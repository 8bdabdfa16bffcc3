package frames

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// FramesQuestion is a question with its answer and the pages that contain the answer.
type FramesQuestion struct {
	Row    int // row of the table, from 0
	Prompt string
	Answer string   // in the form that the reference sends to the judge; "nan" if the table has none
	Links  []string // non-empty values of the columns wikipedia_link_*, in order
}

// maxQuestionsBytes limits the size of a table of questions.
const maxQuestionsBytes = 256 << 20

// FindQuestions returns the path of the table: path itself if it is a file, or frames_dataset.tsv in the folder path.
func FindQuestions(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return filepath.Join(path, QuestionsFile)
	}
	return path
}

// OpenQuestions reads the table of FindQuestions in the way that pandas does. If the file can be read, an error is a
// [*FaultError] that lists every fault with its line.
func OpenQuestions(path string) ([]FramesQuestion, error) {
	path = FindQuestions(path)
	text, err := bounded.ReadFile(path, maxQuestionsBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; want %s, or the folder that holds it", ErrDataset, err, QuestionsFile)
	}
	return ParseQuestions(path, text)
}

// ParseQuestions parses the content of the table like OpenQuestions. It uses path only in errors.
func ParseQuestions(path string, text []byte) ([]FramesQuestion, error) {
	var faults fault.FaultList
	if !utf8.Valid(text) {
		faults.Addf("", "it is not UTF-8")
		return nil, faults.Err(ErrDataset, path)
	}
	rows := readTable(strings.TrimPrefix(string(text), "\ufeff"), &faults)
	if len(rows) == 0 {
		faults.Addf("", "it is empty: want a line of names, Prompt and Answer among them, with tabs between")
		return nil, faults.Err(ErrDataset, path)
	}
	names, rows := rows[0].fields, rows[1:]
	prompt, answer := slices.Index(names, "Prompt"), slices.Index(names, "Answer")
	for i, at := range []int{prompt, answer} {
		if at < 0 {
			faults.Addf("line 1", "no column %s, want Prompt and Answer; it has %q", []string{"Prompt", "Answer"}[i], names)
		}
	}
	if len(rows) == 0 {
		faults.Addf("", "no row behind the line of names")
	}
	for _, r := range rows {
		switch {
		case len(r.fields) != len(names):
			faults.Addf(fmt.Sprintf("line %d", r.line), "%d fields, want the %d of the first line", len(r.fields), len(names))
		case prompt >= 0 && isMissing(r.fields[prompt]):
			faults.Addf(fmt.Sprintf("line %d", r.line), "no Prompt")
		}
	}
	if err := faults.Err(ErrDataset, path); err != nil {
		return nil, err
	}
	return makeQuestions(names, rows, prompt, answer), nil
}

func makeQuestions(names []string, rows []tableRow, prompt, answer int) []FramesQuestion {
	prompts, answers := columnValues(rows, prompt), columnValues(rows, answer)
	all := make([]FramesQuestion, len(rows))
	for i, r := range rows {
		all[i] = FramesQuestion{Row: i, Prompt: prompts[i], Answer: answers[i]}
		for k, name := range names {
			if link := r.fields[k]; strings.HasPrefix(name, "wikipedia_link_") && !isMissing(link) {
				all[i].Links = append(all[i].Links, link)
			}
		}
	}
	return all
}
