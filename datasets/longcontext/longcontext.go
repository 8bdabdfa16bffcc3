package longcontext

import (
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/records"
)

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("long-context tasks")

// FaultError holds all faults of a data set: errors.As finds it.
type FaultError = fault.Error

// Size is the number of tasks of the official file.
const Size = 8313

// metrics are the names that a task's Metric may have.
var metrics = []string{"rouge", "niah_em", "qa_em"}

// Task is a prompt and what it is scored with.
type Task struct {
	Input  string  // the prompt as text; "" where the file has token ids only
	Tokens []int32 // the ids of the whole prompt, in the vocabulary of Llama 3.1 (tok_input)
	Output string  // what answers are compared with (gt_output)
	Metric string  // rouge, niah_em or qa_em
}

// Options say what to read. The zero value reads everything.
type Options struct {
	Count int // use only the first Count tasks; 0: all
	// LabelsOnly leaves out the prompts: to score a finished run, the rest is enough.
	LabelsOnly bool
	// PromptsOnly takes files without what answers are scored with: to run, prompts are enough.
	PromptsOnly bool
}

// Set is a data set that has passed its checks. It may be used from many goroutines.
type Set struct{ tasks []Task }

// File is the name of the official file without its extension: in a folder, it is looked for as
// .json, .jsonl and .parquet.
const File = "mlperf_llama3.1_405b_dataset_8313_processed_fp16_eval"

// Open reads and checks a file, or the official one of a folder. The error lists every fault: it is a [*FaultError],
// for which errors.Is(err, ErrDataset) holds.
func Open(path string, o Options) (*Set, error) {
	columns := []records.Column{{Name: "gt_output", Required: !o.PromptsOnly}, {Name: "metric", Required: !o.PromptsOnly}}
	if !o.LabelsOnly {
		columns = append(columns, records.Column{Name: "input"}, records.Column{Name: "tok_input", IDs: true})
	}
	var faults fault.List
	table, err := records.Read(path, File, columns, o.Count, &faults)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
	}
	s := &Set{make([]Task, table.Len())}
	for i := range s.tasks {
		t := Task{table.Text("input", i), table.IDs("tok_input", i), table.Text("gt_output", i), table.Text("metric", i)}
		if !o.LabelsOnly && t.Input == "" && len(t.Tokens) == 0 {
			faults.Addf(records.Where(i), "it has neither input nor tok_input")
		}
		if t.Metric != "" && !slices.Contains(metrics, t.Metric) {
			faults.Addf(records.Where(i), "metric %.40q, want one of %v", t.Metric, metrics)
		}
		s.tasks[i] = t
	}
	if err := faults.Err(ErrDataset, path); err != nil {
		return nil, err
	}
	return s, nil
}

// Len is the number of tasks.
func (s *Set) Len() int { return len(s.tasks) }

// Task returns a task. Its tokens must not be changed.
func (s *Set) Task(i int) Task { return s.tasks[i] }
