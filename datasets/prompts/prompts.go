package prompts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/datasets/internal/records"
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("data set of prompts")

// FaultError contains all faults of a data set; errors.As finds it.
type FaultError = fault.DatasetError

// PromptSample is a prompt with the reference for its answer. Fields without a column in the format are empty.
type PromptSample struct {
	System      string  // the system prompt
	Instruction string  // what to do with Input
	Input       string  // text; "" if the file contains only token IDs
	Whole       bool    // Input is the complete prompt; no template applies
	Tokens      []int32 // token IDs of the whole prompt (tok_input), in the vocabulary of the file's model
	Output      string  // reference for scoring answers
	Task        string  // kind of the sample, by a name that the format defines
	ID          string  // ID in the data set that the sample comes from
}

// ReadOptions selects the data to read. The zero value reads everything.
type ReadOptions struct {
	Count int // use only the first Count samples; 0: all
	// LabelsOnly leaves out prompts, which are not needed to score a finished run.
	LabelsOnly bool
	// PromptsOnly accepts files without references, which are not needed to run.
	PromptsOnly bool
}

// Open reads and checks a file, or the official file in a folder. The error is a [*FaultError] that lists every fault;
// it wraps ErrDataset. The caller must not change the tokens of samples.
func (f PromptFormat) Open(path string, o ReadOptions) ([]PromptSample, error) {
	var faults fault.FaultList
	table, err := records.ReadTable(path, f.File, f.wantedColumns(o), o.Count, &faults)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrDataset, path, err)
	}
	f.checkColumns(table, o, &faults)
	all := make([]PromptSample, table.Len())
	for i := range all {
		if s := f.makeSample(table, i); !o.LabelsOnly && s.Input == "" && len(s.Tokens) == 0 {
			names := append(f.promptColumns(), f.tokenIDColumns()...)
			last := len(names) - 1
			faults.Addf(records.RecordLabel(i), "it has neither %s nor %s", strings.Join(names[:last], ", "), names[last])
		} else {
			all[i] = s
		}
	}
	return all, faults.Err(ErrDataset, path)
}

// checkColumns requires the columns whose rows are optional, and each column or its fallback. It lists the existing
// columns in a fault.
func (f PromptFormat) checkColumns(t *records.RecordTable, o ReadOptions, faults *fault.FaultList) {
	missing := false
	for _, c := range f.columns {
		unwanted := c.role == labelRole && o.PromptsOnly || c.role != labelRole && o.LabelsOnly || t.Len() == 0
		switch {
		case unwanted || t.HasColumn(c.name) || t.HasColumn(c.fallback):
		case c.fallback != "":
			faults.Addf("", "no column %q and none %q", c.name, c.fallback)
			missing = true
		case c.rowsOptional:
			faults.Addf("", "no column %q", c.name)
			missing = true
		}
	}
	if missing {
		faults.Addf("", "its columns are %s", strings.Join(t.ColumnNames(), ", "))
	}
}

// makeSample returns the sample of a row. A whole prompt replaces its parts.
func (f PromptFormat) makeSample(t *records.RecordTable, row int) PromptSample {
	var s PromptSample
	for _, name := range f.tokenIDColumns() {
		if t.HasColumn(name) {
			s.Tokens = t.TokenIDs(name, row)
			break
		}
	}
	for _, c := range f.columns {
		text := t.Text(c.name, row)
		if c.fallback != "" && !t.HasColumn(c.name) {
			text = t.Text(c.fallback, row)
			if c.convertFallback != nil {
				text = c.convertFallback(text)
			}
		}
		if text != "" {
			*c.field(&s) = text
			s.Whole = s.Whole || c.role == wholePromptRole
		}
	}
	return s
}

// promptColumns returns the names of columns that contain prompts.
func (f PromptFormat) promptColumns() (names []string) {
	for _, c := range f.columns {
		if c.role == promptRole || c.role == wholePromptRole {
			names = append(names, c.name)
		}
	}
	return names
}
