package prompts

import (
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/internal/records"
)

// PromptFormat describes the layout of a data set: the official file's name and its columns.
type PromptFormat struct {
	// File is the name of the official file without its extension, which may be .json, .jsonl or .parquet.
	File string
	// Size is the number of samples in the official file.
	Size    int
	columns []promptColumn
	// columns of token IDs of whole prompts; the first that a file contains counts; nil: tok_input
	tokens []string
}

// promptColumn is a column of a table and the field to which its texts belong.
type promptColumn struct {
	name  string
	text  func(*PromptSample) *string
	role  columnRole
	among []string // allowed texts; nil: any
	// otherwise is the column to read if the file does not contain name. from, if set, converts its texts.
	otherwise string
	from      func(string) string
	sparse    bool // the file must contain the column, but rows may lack a value
}

// columnRole is the purpose of a column.
type columnRole uint8

const (
	aside  columnRole = iota // part of prompts that is not a prompt by itself
	prompt                   // a prompt, if it is not empty
	whole                    // a complete prompt to which no template applies
	label                    // used to score answers
)

// CNNDailyMail returns the format of the articles and summaries of CNN/DailyMail 3.0.0. For GPT-J it contains an
// instruction, for Llama 3.1 8B the token IDs of whole prompts.
func CNNDailyMail() PromptFormat {
	return PromptFormat{File: "cnn_eval", Size: 13368, columns: []promptColumn{
		{name: "instruction", text: instructionField}, {name: "input", text: inputField, role: prompt},
		{name: "output", text: outputField, role: label},
	}}
}

// CNNDailyMailEdge returns the format of the edge category's part of [CNNDailyMail].
func CNNDailyMailEdge() PromptFormat {
	f := CNNDailyMail()
	f.File, f.Size = "sample_cnn_eval_5000", 5000
	return f
}

// OpenOrca returns the format of the questions for Llama 2 70B, with a system prompt or as whole prompts.
func OpenOrca() PromptFormat {
	return PromptFormat{File: "open_orca_gpt4_tokenized_llama.sampled_24576", Size: 24576, columns: []promptColumn{
		{name: "system_prompt", text: systemField}, {name: "question", text: inputField, role: prompt},
		{name: "input", text: inputField, role: whole}, {name: "output", text: outputField, role: label},
	}}
}

// LongContext returns the format of the long-context tasks for Llama 3.1 405B. Task contains the metric of a sample.
func LongContext() PromptFormat {
	return PromptFormat{File: "mlperf_llama3.1_405b_dataset_8313_processed_fp16_eval", Size: 8313, columns: []promptColumn{
		{name: "input", text: inputField, role: whole}, {name: "gt_output", text: outputField, role: label},
		{name: "metric", text: taskField, role: label, among: []string{"rouge", "niah_em", "qa_em"}},
	}}
}

// Mixture returns the format of the samples for Mixtral 8x7B: 5000 each of OpenOrca, GSM8K and MBXP, as named by Task.
// For MBXP, ID is language_task and Output contains the tests that a program must pass.
func Mixture() PromptFormat {
	return PromptFormat{File: "09292024_mixtral_15k_mintoken2_v1", Size: 15000, columns: []promptColumn{
		{name: "input", text: inputField, role: whole}, {name: "gt_output", text: outputField, role: label},
		{name: "dataset", text: taskField, role: label, among: []string{"OpenOrca", "GSM8K", "MBXP"}},
		{name: "id", text: idField, role: label},
	}}
}

// DeepSeekR1 returns the format of the questions for DeepSeek-R1, as whole prompts. Task is the set of the question, by
// the official scorer's name.
func DeepSeekR1() PromptFormat {
	return PromptFormat{File: "mlperf_deepseek_r1_dataset_4388_fp8_eval", Size: 4388, columns: []promptColumn{
		{name: "text_input", text: inputField, role: whole},
		{name: "gt_output", text: outputField, role: label, otherwise: "ground_truth"},
		{name: "dataset", text: taskField, role: label, otherwise: "metric", from: setOfMetric},
	}}
}

// setOfMetric returns the name of a set from that of its metric: mmlu_pro_em gives mmlupro, as in the official scorer.
func setOfMetric(metric string) string {
	return strings.ReplaceAll(strings.ReplaceAll(metric, "_em", ""), "_", "")
}

// GPTOSS returns the format of the performance run's questions for gpt-oss-120b: token IDs of whole prompts, or texts
// in unofficial files. They need no ground truth.
func GPTOSS() PromptFormat {
	return PromptFormat{File: "perf_eval_ref", Size: 6396, tokens: []string{"tok_input", "input_tokens"},
		columns: []promptColumn{
			{name: "text_input", text: inputField, role: prompt},
			{name: "ground_truth", text: outputField, role: label, sparse: true},
			{name: "dataset", text: taskField, role: label},
		}}
}

// GPTOSSAccuracy returns the format of the accuracy run's questions for gpt-oss-120b.
func GPTOSSAccuracy() PromptFormat {
	f := GPTOSS()
	f.File, f.Size = "acc_eval_inputs", 4395
	return f
}

// GPTOSSCompliance returns the format of TEST07's questions for gpt-oss-120b.
func GPTOSSCompliance() PromptFormat {
	f := GPTOSS()
	f.File, f.Size = "acc_eval_compliance_gpqa", 990
	return f
}

// idColumns returns the possible columns of token IDs.
func (f PromptFormat) idColumns() []string {
	if len(f.tokens) > 0 {
		return f.tokens
	}
	return []string{"tok_input"}
}

// wantedColumns returns the columns to read.
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
