package prompts

import (
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/records"
)

// PromptFormat is a data set's layout: the official file's name and its columns.
type PromptFormat struct {
	// File is the name of the official file without its extension: in a folder, it is looked for as .json, .jsonl and
	// .parquet.
	File string
	// Size is how many samples the official file has.
	Size    int
	columns []promptColumn
	// tokens are the columns of ids of whole prompts, of which the first that a file has counts; empty: tok_input.
	tokens []string
}

// promptColumn is a column of a table, and where its texts belong.
type promptColumn struct {
	name  string
	text  func(*PromptSample) *string
	role  columnRole
	among []string // the names that its texts may be; nil: any text
	// otherwise is the column that is read where the file has none of the name, and from what becomes of its texts.
	otherwise string
	from      func(string) string
	sparse    bool // rows may lack it, and the file must not
}

// columnRole is what a column is for.
type columnRole uint8

const (
	aside  columnRole = iota // a part of prompts that alone makes none
	prompt                   // a prompt, if it is not empty
	whole                    // a prompt as it is: no template applies
	label                    // what answers are scored with
)

// CNNDailyMail are the articles of CNN/DailyMail 3.0.0 and their summaries: of GPT-J with an instruction, of Llama 3.1
// 8B with the ids of the whole prompt.
func CNNDailyMail() PromptFormat {
	return PromptFormat{File: "cnn_eval", Size: 13368, columns: []promptColumn{
		{name: "instruction", text: instructionField}, {name: "input", text: inputField, role: prompt},
		{name: "output", text: outputField, role: label},
	}}
}

// CNNDailyMailEdge is the part of [CNNDailyMail] that the edge category has.
func CNNDailyMailEdge() PromptFormat {
	f := CNNDailyMail()
	f.File, f.Size = "sample_cnn_eval_5000", 5000
	return f
}

// OpenOrca are the questions of Llama 2 70B: with a system prompt, or as whole prompts.
func OpenOrca() PromptFormat {
	return PromptFormat{File: "open_orca_gpt4_tokenized_llama.sampled_24576", Size: 24576, columns: []promptColumn{
		{name: "system_prompt", text: systemField}, {name: "question", text: inputField, role: prompt},
		{name: "input", text: inputField, role: whole}, {name: "output", text: outputField, role: label},
	}}
}

// LongContext are the tasks with long contexts of Llama 3.1 405B. Task names the metric of a sample.
func LongContext() PromptFormat {
	return PromptFormat{File: "mlperf_llama3.1_405b_dataset_8313_processed_fp16_eval", Size: 8313, columns: []promptColumn{
		{name: "input", text: inputField, role: whole}, {name: "gt_output", text: outputField, role: label},
		{name: "metric", text: taskField, role: label, among: []string{"rouge", "niah_em", "qa_em"}},
	}}
}

// Mixture are the samples of Mixtral 8x7B, 5000 each of OpenOrca, GSM8K and MBXP: Task names which. Of MBXP the ID is
// language_task, and Output the tests that a program has to pass.
func Mixture() PromptFormat {
	return PromptFormat{File: "09292024_mixtral_15k_mintoken2_v1", Size: 15000, columns: []promptColumn{
		{name: "input", text: inputField, role: whole}, {name: "gt_output", text: outputField, role: label},
		{name: "dataset", text: taskField, role: label, among: []string{"OpenOrca", "GSM8K", "MBXP"}},
		{name: "id", text: idField, role: label},
	}}
}

// DeepSeekR1 are the questions of DeepSeek-R1, as whole prompts: Task is the set that one is from, as the official
// scorer has it.
func DeepSeekR1() PromptFormat {
	return PromptFormat{File: "mlperf_deepseek_r1_dataset_4388_fp8_eval", Size: 4388, columns: []promptColumn{
		{name: "text_input", text: inputField, role: whole},
		{name: "gt_output", text: outputField, role: label, otherwise: "ground_truth"},
		{name: "dataset", text: taskField, role: label, otherwise: "metric", from: setOfMetric},
	}}
}

// setOfMetric is the name of a set by that of its metric: mmlu_pro_em gives mmlupro, as in the official scorer.
func setOfMetric(metric string) string {
	return strings.ReplaceAll(strings.ReplaceAll(metric, "_em", ""), "_", "")
}

// GPTOSS are the questions of gpt-oss-120b as the ids of whole prompts, or of other files as texts: the performance
// run's, which need no truths.
func GPTOSS() PromptFormat {
	return PromptFormat{File: "perf_eval_ref", Size: 6396, tokens: []string{"tok_input", "input_tokens"},
		columns: []promptColumn{
			{name: "text_input", text: inputField, role: prompt},
			{name: "ground_truth", text: outputField, role: label, sparse: true},
			{name: "dataset", text: taskField, role: label},
		}}
}

// GPTOSSAccuracy is the set of [GPTOSS] that accuracy runs have.
func GPTOSSAccuracy() PromptFormat {
	f := GPTOSS()
	f.File, f.Size = "acc_eval_inputs", 4395
	return f
}

// GPTOSSCompliance is the set of [GPTOSS] that TEST07 has.
func GPTOSSCompliance() PromptFormat {
	f := GPTOSS()
	f.File, f.Size = "acc_eval_compliance_gpqa", 990
	return f
}

// idColumns are the columns of ids, any of which a file may have.
func (f PromptFormat) idColumns() []string {
	if len(f.tokens) > 0 {
		return f.tokens
	}
	return []string{"tok_input"}
}

// wantedColumns are the columns to read.
func (f PromptFormat) wantedColumns(o ReadOptions) []records.TableColumn {
	var all []records.TableColumn
	for _, c := range f.columns {
		if c.role != label && o.LabelsOnly {
			continue
		}
		required := c.role == label && !o.PromptsOnly
		all = append(all, records.TableColumn{Name: c.name, Required: required && c.otherwise == "" && !c.sparse,
			Among: c.among})
		if c.otherwise != "" {
			all = append(all, records.TableColumn{Name: c.otherwise})
		}
	}
	for _, name := range f.idColumns() {
		if !o.LabelsOnly {
			all = append(all, records.TableColumn{Name: name, IDs: true})
		}
	}
	return all
}

func systemField(s *PromptSample) *string      { return &s.System }
func instructionField(s *PromptSample) *string { return &s.Instruction }
func inputField(s *PromptSample) *string       { return &s.Input }
func outputField(s *PromptSample) *string      { return &s.Output }
func taskField(s *PromptSample) *string        { return &s.Task }
func idField(s *PromptSample) *string          { return &s.ID }
