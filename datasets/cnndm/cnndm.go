package cnndm

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/records"
)

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("articles and summaries")

// FaultError holds all faults of a data set: errors.As finds it.
type FaultError = fault.Error

// Size is the number of articles of the test set.
const Size = 13368

// Article is a text and its summary.
type Article struct {
	Instruction string // what to do with Input; "" where the file has none
	Input       string // the article; "" where the file has token ids only
	Output      string // the summary that answers are compared with
	// the ids of the whole prompt, in the vocabulary of the model that the file is for; nil where it has none
	Tokens []int32
}

// Options say what to read. The zero value reads everything.
type Options struct {
	Count int // use only the first Count articles; 0: all
	// LabelsOnly leaves out all but Output: to score a finished run, the summaries are enough.
	LabelsOnly bool
	// PromptsOnly takes files without what answers are scored with: to run, prompts are enough.
	PromptsOnly bool
	Edge        bool // of a folder, read the file of the edge category
}

func (o Options) file() string {
	if o.Edge {
		return EdgeFile
	}
	return File
}

// Set is a data set that has passed its checks. It may be used from many goroutines.
type Set struct{ articles []Article }

// The names of the official files without their extension: in a folder, they are looked for as
// .json, .jsonl and .parquet.
const (
	File     = "cnn_eval"
	EdgeFile = "sample_cnn_eval_5000"
)

// Open reads and checks a file, or the official one of a folder. The error lists every fault: it is a [*FaultError],
// for which errors.Is(err, ErrDataset) holds.
func Open(path string, o Options) (*Set, error) {
	columns := []records.Column{{Name: "output", Required: !o.PromptsOnly}}
	if !o.LabelsOnly {
		columns = append(columns, records.Column{Name: "instruction"}, records.Column{Name: "input"},
			records.Column{Name: "tok_input", IDs: true})
	}
	var faults fault.List
	table, err := records.Read(path, o.file(), columns, o.Count, &faults)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
	}
	s := &Set{make([]Article, table.Len())}
	for i := range s.articles {
		a := Article{table.Text("instruction", i), table.Text("input", i), table.Text("output", i), table.IDs("tok_input", i)}
		if !o.LabelsOnly && a.Input == "" && len(a.Tokens) == 0 {
			faults.Addf(records.Where(i), "it has neither input nor tok_input")
		}
		s.articles[i] = a
	}
	if err := faults.Err(ErrDataset, path); err != nil {
		return nil, err
	}
	return s, nil
}

// Len is the number of articles.
func (s *Set) Len() int { return len(s.articles) }

// Article returns an article. Its tokens must not be changed.
func (s *Set) Article(i int) Article { return s.articles[i] }
