package officialdata

import (
	"fmt"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// ReasoningMatch is the exact match of tinymodel's decoders on the questions, in percent: every other answer is right.
const ReasoningMatch = 50

// reasoningTokens are the answer of tinymodel's decoders: a choice that the graders of both models read.
var reasoningTokens = []string{"Answer:", "ĠA"}

// DeepSeekR1Answer is like Llama3Answer, for DeepSeek's vocabulary.
func DeepSeekR1Answer() (words int64, a tinymodel.Answer) {
	return 129280, tinymodel.Answer{First: 259, Second: 260, End: 1}
}

// DeepSeekTokenizer writes tokenizer.json in DeepSeek's form: ids 0 to 2 are special, and the words follow.
func DeepSeekTokenizer(dir string) error {
	vocabulary := map[string]int{}
	for i, name := range append(byteNames(), reasoningTokens...) {
		vocabulary[name] = 3 + i
	}
	return writeReasoningTokenizer(dir, vocabulary, map[int]string{
		0: "<｜begin▁of▁sentence｜>", 1: "<｜end▁of▁sentence｜>", 2: "<｜▁pad▁｜>", 128803: "<｜User｜>", 128804: "<｜Assistant｜>",
	})
}

// GPTOSS120BAnswer is like Llama3Answer, for gpt-oss' vocabulary.
func GPTOSS120BAnswer() (words int64, a tinymodel.Answer) {
	return 201088, tinymodel.Answer{First: 256, Second: 257, End: 200002}
}

// HarmonyTokenizer writes tokenizer.json in gpt-oss' form.
func HarmonyTokenizer(dir string) error {
	vocabulary := map[string]int{}
	for i, name := range append(byteNames(), reasoningTokens...) {
		vocabulary[name] = i
	}
	return writeReasoningTokenizer(dir, vocabulary, map[int]string{
		199998: "<|startoftext|>", 199999: "<|endoftext|>", 200002: "<|return|>", 200003: "<|constrain|>",
		200005: "<|channel|>", 200006: "<|start|>", 200007: "<|end|>", 200008: "<|message|>", 200012: "<|call|>",
		201087: "<|reserved_201087|>",
	})
}

// writeReasoningTokenizer also writes the special tokens as words, because Hugging Face's library keeps only the ids of
// words if there are gaps between ids.
func writeReasoningTokenizer(dir string, vocabulary map[string]int, special map[int]string) error {
	type fields = map[string]any
	var added []fields
	for id, name := range special {
		vocabulary[name] = id
		added = append(added, fields{
			"id": id, "content": name, "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
			"special": true,
		})
	}
	bytes := fields{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}
	return writeJSON(filepath.Join(dir, "tokenizer.json"), fields{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added, "normalizer": nil,
		"pre_tokenizer": bytes, "post_processor": nil, "decoder": bytes,
		"model": fields{
			"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil, "end_of_word_suffix": nil,
			"fuse_unk": false, "byte_fallback": false, "vocab": vocabulary, "merges": []string{},
		},
	})
}

// Questions returns rows of DeepSeek-R1's set.
func Questions() []LanguageRecord {
	return languageRecords(func(r *LanguageRecord, _ string, i int) {
		r.TextInput, r.GTOutput, r.Dataset = fmt.Sprintf("Question %d: A or B?", i), []string{"A", "B"}[i%2], "gpqa"
	})
}

// Harmony returns n rows of gpt-oss' sets, as ids of whole prompts.
func Harmony(n int) []LanguageRecord {
	all := make([]LanguageRecord, n)
	for i := range all {
		ids := []int32{200006, 200008}
		for _, b := range []byte(fmt.Sprint(i)) {
			ids = append(ids, HarmonyByte(b))
		}
		all[i] = LanguageRecord{Tokens: append(ids, 200007), Truth: []string{"A", "B"}[i%2], Dataset: "gpqa_diamond"}
	}
	return all
}

// HarmonyByte returns the id of a byte in gpt-oss' vocabulary.
func HarmonyByte(b byte) int32 { return int32(b) }

// DeepSeekByte returns the id of a byte in DeepSeek's vocabulary.
func DeepSeekByte(b byte) int { return 3 + int(b) }
