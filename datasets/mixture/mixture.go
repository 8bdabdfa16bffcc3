package mixture

import (
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/records"
)

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("mixture of three data sets")

// FaultError holds all faults of a data set: errors.As finds it.
type FaultError = fault.Error

// Size is the number of samples of the official file: 5000 of each data set.
const Size = 15000

// sources are the names that a sample's Source may have.
var sources = []string{"OpenOrca", "GSM8K", "MBXP"}

// Sample is a prompt and what it is scored with.
type Sample struct {
	Source string  // the data set that it is from: OpenOrca, GSM8K or MBXP (dataset)
	ID     string  // within that data set; of MBXP: language_task
	Input  string  // the prompt as text; "" where the file has token ids only
	Tokens []int32 // the ids of the whole prompt, in the vocabulary of Mixtral (tok_input)
	Output string  // what answers are compared with; of MBXP the tests that a program has to pass (gt_output)
}

// Options say what to read. The zero value reads everything.
type Options struct {
	Count int // use only the first Count samples; 0: all
	// LabelsOnly leaves out the prompts: to score a finished run, the rest is enough.
	LabelsOnly bool
	// PromptsOnly takes files without what answers are scored with: to run, prompts are enough.
	PromptsOnly bool
}

// Set is a data set that has passed its checks. It may be used from many goroutines.
type Set struct{ samples []Sample }

// File is the name of the official file without its extension: in a folder, it is looked for as
// .json, .jsonl and .parquet.
const File = "09292024_mixtral_15k_mintoken2_v1"

// Open reads and checks a file, or the official one of a folder. The error lists every fault: it is a [*FaultError],
// for which errors.Is(err, ErrDataset) holds.
func Open(path string, o Options) (*Set, error) {
	columns := []records.Column{{Name: "dataset", Required: !o.PromptsOnly}, {Name: "id", Required: !o.PromptsOnly},
		{Name: "gt_output", Required: !o.PromptsOnly}}
	if !o.LabelsOnly {
		columns = append(columns, records.Column{Name: "input"}, records.Column{Name: "tok_input", IDs: true})
	}
	var faults fault.List
	table, err := records.Read(path, File, columns, o.Count, &faults)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
	}
	s := &Set{make([]Sample, table.Len())}
	for i := range s.samples {
		x := Sample{
			Source: table.Text("dataset", i), ID: table.Text("id", i), Input: table.Text("input", i),
			Tokens: table.IDs("tok_input", i), Output: table.Text("gt_output", i),
		}
		if !o.LabelsOnly && x.Input == "" && len(x.Tokens) == 0 {
			faults.Addf(records.Where(i), "it has neither input nor tok_input")
		}
		if x.Source != "" && !slices.Contains(sources, x.Source) {
			faults.Addf(records.Where(i), "dataset %.40q, want one of %v", x.Source, sources)
		}
		s.samples[i] = x
	}
	if err := faults.Err(ErrDataset, path); err != nil {
		return nil, err
	}
	return s, nil
}

// Len is the number of samples.
func (s *Set) Len() int { return len(s.samples) }

// Sample returns a sample. Its tokens must not be changed.
func (s *Set) Sample(i int) Sample { return s.samples[i] }
