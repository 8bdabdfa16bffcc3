package prompts

import "github.com/plumbline-ml/plumbline/datasets/internal/records"

// Format is a data set's layout: the official file's name and its columns.
type Format struct {
	// File is the name of the official file without its extension: in a folder, it is looked for as .json, .jsonl and
	// .parquet.
	File string
	// Size is how many samples the official file has.
	Size    int
	columns []column
}

// column is one of a table, and where its texts belong.
type column struct {
	name  string
	text  func(*Sample) *string
	role  role
	among []string // the names that its texts may be; nil: any text
}

// role is what a column is for.
type role uint8

const (
	aside  role = iota // a part of prompts that alone makes none
	prompt             // a prompt, if it is not empty
	whole              // a prompt as it is: no template applies
	label              // what answers are scored with
)

// CNNDailyMail are the articles of CNN/DailyMail 3.0.0 and their summaries: of GPT-J with an instruction, of Llama 3.1
// 8B with the ids of the whole prompt.
func CNNDailyMail() Format {
	return Format{"cnn_eval", 13368, []column{
		{name: "instruction", text: instruction}, {name: "input", text: input, role: prompt},
		{name: "output", text: output, role: label},
	}}
}

// CNNDailyMailEdge is the part of [CNNDailyMail] that the edge category has.
func CNNDailyMailEdge() Format {
	f := CNNDailyMail()
	f.File, f.Size = "sample_cnn_eval_5000", 5000
	return f
}

// OpenOrca are the questions of Llama 2 70B: with a system prompt, or as whole prompts.
func OpenOrca() Format {
	return Format{"open_orca_gpt4_tokenized_llama.sampled_24576", 24576, []column{
		{name: "system_prompt", text: system}, {name: "question", text: input, role: prompt},
		{name: "input", text: input, role: whole}, {name: "output", text: output, role: label},
	}}
}

// LongContext are the tasks with long contexts of Llama 3.1 405B. Task names the metric of a sample.
func LongContext() Format {
	return Format{"mlperf_llama3.1_405b_dataset_8313_processed_fp16_eval", 8313, []column{
		{name: "input", text: input, role: whole}, {name: "gt_output", text: output, role: label},
		{name: "metric", text: task, role: label, among: []string{"rouge", "niah_em", "qa_em"}},
	}}
}

// Mixture are the samples of Mixtral 8x7B, 5000 each of OpenOrca, GSM8K and MBXP: Task names which. Of MBXP the ID is
// language_task, and Output the tests that a program has to pass.
func Mixture() Format {
	return Format{"09292024_mixtral_15k_mintoken2_v1", 15000, []column{
		{name: "input", text: input, role: whole}, {name: "gt_output", text: output, role: label},
		{name: "dataset", text: task, role: label, among: []string{"OpenOrca", "GSM8K", "MBXP"}},
		{name: "id", text: id, role: label},
	}}
}

// tokens is the column of ids that every format may have.
const tokens = "tok_input"

// wanted are the columns to read.
func (f Format) wanted(o Options) []records.Column {
	var all []records.Column
	for _, c := range f.columns {
		if c.role == label || !o.LabelsOnly {
			all = append(all, records.Column{Name: c.name, Required: c.role == label && !o.PromptsOnly, Among: c.among})
		}
	}
	if !o.LabelsOnly {
		all = append(all, records.Column{Name: tokens, IDs: true})
	}
	return all
}

func system(s *Sample) *string      { return &s.System }
func instruction(s *Sample) *string { return &s.Instruction }
func input(s *Sample) *string       { return &s.Input }
func output(s *Sample) *string      { return &s.Output }
func task(s *Sample) *string        { return &s.Task }
func id(s *Sample) *string          { return &s.ID }
