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
	tokenColumns []string
}

// promptColumn is a column of a table and the field to which its texts belong.
type promptColumn struct {
	name    string
	field   func(*PromptSample) *string
	role    columnRole
	allowed []string // allowed texts; nil: any
	// fallback is the column to read if the file does not contain name. from, if set, converts its texts.
	fallback        string
	convertFallback func(string) string
	rowsOptional    bool // the file must contain the column, but rows may lack a value
}

// columnRole is the purpose of a column.
type columnRole uint8

const (
	auxiliaryRole   columnRole = iota // part of prompts that is not a prompt by itself
	promptRole                        // a prompt, if it is not empty
	wholePromptRole                   // a complete prompt to which no template applies
	labelRole                         // used to score answers
)

// CNNDailyMail returns the format of the articles and summaries of CNN/DailyMail 3.0.0. For GPT-J it contains an
// instruction, for Llama 3.1 8B the token IDs of whole prompts.
func CNNDailyMail() PromptFormat {
	return PromptFormat{File: "cnn_eval", Size: 13368, columns: []promptColumn{
		{name: "instruction", field: instructionField}, {name: "input", field: inputField, role: promptRole},
		{name: "output", field: outputField, role: labelRole},
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
		{name: "system_prompt", field: systemField}, {name: "question", field: inputField, role: promptRole},
		{name: "input", field: inputField, role: wholePromptRole}, {name: "output", field: outputField, role: labelRole},
	}}
}

// LongContext returns the format of the long-context tasks for Llama 3.1 405B. Task contains the metric of a sample.
func LongContext() PromptFormat {
	return PromptFormat{File: "mlperf_llama3.1_405b_dataset_8313_processed_fp16_eval", Size: 8313, columns: []promptColumn{
		{name: "input", field: inputField, role: wholePromptRole}, {name: "gt_output", field: outputField, role: labelRole},
		{name: "metric", field: taskField, role: labelRole, allowed: []string{"rouge", "niah_em", "qa_em"}},
	}}
}

// Mixture returns the format of the samples for Mixtral 8x7B: 5000 each of OpenOrca, GSM8K and MBXP, as named by Task.
// For MBXP, ID is language_task and Output contains the tests that a program must pass.
func Mixture() PromptFormat {
	return PromptFormat{File: "09292024_mixtral_15k_mintoken2_v1", Size: 15000, columns: []promptColumn{
		{name: "input", field: inputField, role: wholePromptRole}, {name: "gt_output", field: outputField, role: labelRole},
		{name: "dataset", field: taskField, role: labelRole, allowed: []string{"OpenOrca", "GSM8K", "MBXP"}},
		{name: "id", field: idField, role: labelRole},
	}}
}

// DeepSeekR1 returns the format of the questions for DeepSeek-R1, as whole prompts. Task is the set of the question, by
// the official scorer's name.
func DeepSeekR1() PromptFormat {
	return PromptFormat{File: "mlperf_deepseek_r1_dataset_4388_fp8_eval", Size: 4388, columns: []promptColumn{
		{name: "text_input", field: inputField, role: wholePromptRole},
		{name: "gt_output", field: outputField, role: labelRole, fallback: "ground_truth"},
		{name: "dataset", field: taskField, role: labelRole, fallback: "metric", convertFallback: setName},
	}}
}

// setName returns the name of a set from that of its metric: mmlu_pro_em gives mmlupro, as in the official scorer.
func setName(metric string) string {
	return strings.ReplaceAll(strings.ReplaceAll(metric, "_em", ""), "_", "")
}

// GPTOSS returns the format of the performance run's questions for gpt-oss-120b: token IDs of whole prompts, or texts
// in unofficial files. They need no ground truth.
func GPTOSS() PromptFormat {
	return PromptFormat{File: "perf_eval_ref", Size: 6396, tokenColumns: []string{"tok_input", "input_tokens"},
		columns: []promptColumn{
			{name: "text_input", field: inputField, role: promptRole},
			{name: "ground_truth", field: outputField, role: labelRole, rowsOptional: true},
			{name: "dataset", field: taskField, role: labelRole},
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

// tokenIDColumns returns the possible columns of token IDs.
func (f PromptFormat) tokenIDColumns() []string {
	if len(f.tokenColumns) > 0 {
		return f.tokenColumns
	}
	return []string{"tok_input"}
}

// wantedColumns returns the columns to read.
func (f PromptFormat) wantedColumns(o ReadOptions) []records.TableColumn {
	var all []records.TableColumn
	for _, c := range f.columns {
		if c.role != labelRole && o.LabelsOnly {
			continue
		}
		required := c.role == labelRole && !o.PromptsOnly
		all = append(all, records.TableColumn{Name: c.name, Required: required && c.fallback == "" && !c.rowsOptional,
			Allowed: c.allowed})
		if c.fallback != "" {
			all = append(all, records.TableColumn{Name: c.fallback})
		}
	}
	for _, name := range f.tokenIDColumns() {
		if !o.LabelsOnly {
			all = append(all, records.TableColumn{Name: name, TokenIDs: true})
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
