package openorca

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/records"
)

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("questions and answers")

// FaultError holds all faults of a data set: errors.As finds it.
type FaultError = fault.Error

// Size is the number of questions of the official sample.
const Size = 24576

// Question is a prompt and its answer.
type Question struct {
	System   string  // the system prompt
	Question string  // the user's; "" where the file has the prompt or its ids only
	Prompt   string  // the whole prompt as text (input); "" where the file has none
	Tokens   []int32 // the ids of the whole prompt, in the vocabulary of Llama 2 (tok_input)
	Output   string  // what answers are compared with
}

// Options say what to read. The zero value reads everything.
type Options struct {
	Count int // use only the first Count questions; 0: all
	// LabelsOnly leaves out all but Output: to score a finished run, the answers are enough.
	LabelsOnly bool
	// PromptsOnly takes files without what answers are scored with: to run, prompts are enough.
	PromptsOnly bool
}

// Set is a data set that has passed its checks. It may be used from many goroutines.
type Set struct{ questions []Question }

// File is the name of the official file without its extension: in a folder, it is looked for as
// .json, .jsonl and .parquet.
const File = "open_orca_gpt4_tokenized_llama.sampled_24576"

// Open reads and checks a file, or the official one of a folder. The error lists every fault: it is a [*FaultError],
// for which errors.Is(err, ErrDataset) holds.
func Open(path string, o Options) (*Set, error) {
	columns := []records.Column{{Name: "output", Required: !o.PromptsOnly}}
	if !o.LabelsOnly {
		columns = append(columns, records.Column{Name: "system_prompt"}, records.Column{Name: "question"},
			records.Column{Name: "input"}, records.Column{Name: "tok_input", IDs: true})
	}
	var faults fault.List
	table, err := records.Read(path, File, columns, o.Count, &faults)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
	}
	s := &Set{make([]Question, table.Len())}
	for i := range s.questions {
		q := Question{
			System: table.Text("system_prompt", i), Question: table.Text("question", i), Prompt: table.Text("input", i),
			Tokens: table.IDs("tok_input", i), Output: table.Text("output", i),
		}
		if !o.LabelsOnly && q.Question == "" && q.Prompt == "" && len(q.Tokens) == 0 {
			faults.Addf(records.Where(i), "it has neither question, input nor tok_input")
		}
		s.questions[i] = q
	}
	if err := faults.Err(ErrDataset, path); err != nil {
		return nil, err
	}
	return s, nil
}

// Len is the number of questions.
func (s *Set) Len() int { return len(s.questions) }

// Question returns a question. Its tokens must not be changed.
func (s *Set) Question(i int) Question { return s.questions[i] }
