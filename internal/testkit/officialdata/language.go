package officialdata

import (
	"bytes"
	"encoding/json"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// LanguageROUGE is the ROUGE-1 and ROUGE-L of tinymodel's decoders on the texts, in percent: every other answer equals
// the reference.
const LanguageROUGE = 50

// LanguageRecord is a sample of a language model's data set, with the columns of all data sets. Empty columns are
// omitted.
type LanguageRecord struct {
	Instruction string  `json:"instruction,omitempty" parquet:"instruction"`
	System      string  `json:"system_prompt,omitempty" parquet:"system_prompt"`
	Question    string  `json:"question,omitempty" parquet:"question"`
	Input       string  `json:"input,omitempty" parquet:"input"`
	Tokens      []int32 `json:"tok_input,omitempty" parquet:"tok_input,list"`
	TextInput   string  `json:"text_input,omitempty" parquet:"text_input"`
	Output      string  `json:"output,omitempty" parquet:"output"`
	Truth       string  `json:"ground_truth,omitempty" parquet:"ground_truth"`
	GTOutput    string  `json:"gt_output,omitempty" parquet:"gt_output"`
	Metric      string  `json:"metric,omitempty" parquet:"metric"`
	Dataset     string  `json:"dataset,omitempty" parquet:"dataset"`
	ID          string  `json:"id,omitempty" parquet:"id"`
}

// languageRecords returns 20 samples. The decoders' answer is the reference of every other one.
func languageRecords(fill func(r *LanguageRecord, reference string, i int)) []LanguageRecord {
	all := make([]LanguageRecord, 20)
	for i := range all {
		fill(&all[i], []string{"yes no", "maybe"}[i%2], i)
	}
	return all
}

// prompt returns tokens that every vocabulary of this package contains and that decoders never answer.
func prompt(i int) []int32 { return []int32{1, int32(40 + i), 77, 78, 79}[:3+i%3] }

// News returns articles of CNN/DailyMail with the tokens of Llama 3.1 8B.
func News() []LanguageRecord {
	return languageRecords(func(r *LanguageRecord, reference string, i int) {
		r.Input, r.Tokens, r.Output = "A bridge was opened in Zürich.\nIt is »long«.", prompt(i), reference
	})
}

// GPTJNews returns the articles for GPT-J. It must answer at least 30 tokens, so it repeats its two tokens.
func GPTJNews() []LanguageRecord {
	return languageRecords(func(r *LanguageRecord, reference string, i int) {
		r.Instruction, r.Input, r.Output = "Summarize the following news article:",
			"A bridge was opened in Zürich.", reference
		if i%2 == 0 {
			for range 14 {
				r.Output += " yes no"
			}
		}
	})
}

// Orca returns questions of OpenOrca with the tokens of Llama 2.
func Orca() []LanguageRecord {
	return languageRecords(func(r *LanguageRecord, reference string, i int) {
		r.System, r.Question, r.Tokens, r.Output = "You are brief.", "Is it so?", prompt(i), reference
	})
}

// Contexts returns tasks of Llama 3.1 405B.
func Contexts() []LanguageRecord {
	return languageRecords(func(r *LanguageRecord, reference string, i int) {
		r.Input, r.Tokens, r.GTOutput, r.Metric = "Tell it.", prompt(i), reference, "rouge"
	})
}

// Mixture returns samples of Mixtral 8x7B.
func Mixture() []LanguageRecord {
	return languageRecords(func(r *LanguageRecord, reference string, i int) {
		r.Input, r.Tokens, r.GTOutput, r.Dataset, r.ID = "Is it so?", prompt(i), reference, "OpenOrca", "niv.1"
		if i >= 16 {
			r.Dataset, r.GTOutput, r.ID = "GSM8K", "4", "7"
		}
	})
}

// WriteLanguage writes records in the format of the name's extension: .json, .jsonl or .parquet.
func WriteLanguage(path string, records []LanguageRecord) error { return writeTable(path, records) }

// CallRecord is a row of the endpoints harness's table of questions that are answered by function calls.
type CallRecord struct {
	Messages   string `json:"messages" parquet:"messages"`
	Tools      string `json:"tools" parquet:"tools"`
	ToolChoice string `json:"tool_choice" parquet:"tool_choice"`
	Truth      string `json:"ground_truth" parquet:"ground_truth"`
	Functions  string `json:"func_description" parquet:"func_description"`
	Subset     string `json:"subset" parquet:"subset"`
	ID         string `json:"sample_id" parquet:"sample_id"`
}

// WriteCalls writes CallRecords, like WriteLanguage.
func WriteCalls(path string, records []CallRecord) error { return writeTable(path, records) }

func writeTable[R any](path string, records []R) error {
	if filepath.Ext(path) == ".json" {
		return writeJSON(path, records)
	}
	var file bytes.Buffer
	if filepath.Ext(path) == ".parquet" {
		if err := parquet.Write(&file, records); err != nil {
			return err
		}
		return write(path, file.Bytes())
	}
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		file.Write(append(line, '\n'))
	}
	return write(path, file.Bytes())
}
