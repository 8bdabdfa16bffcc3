package officialdata

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// byteNames returns the names of the 256 bytes in GPT-2's tokenizers.
func byteNames() []string {
	names := make([]string, 256)
	others := 0
	for b := range names {
		if b >= '!' && b <= '~' || b >= 0xa1 && b != 0xad {
			names[b] = string(rune(b))
			continue
		}
		names[b] = string(rune(256 + others))
		others++
	}
	return names
}

// byteLevel returns a vocabulary with a number of tokens: the bytes, the two tokens of tinymodel's decoders, and others
// that do not occur in texts.
func byteLevel(words int) map[string]int {
	vocabulary := map[string]int{}
	for id, name := range append(byteNames(), "Ġyes", "Ġno", "Ġy") {
		vocabulary[name] = id
	}
	for id := len(vocabulary); id < words; id++ {
		vocabulary[fmt.Sprintf("Ġx%d", id)] = id
	}
	return vocabulary
}

// Llama3Answer returns the size of Llama 3's vocabulary and the token ids of tinymodel's decoder.
func Llama3Answer() (words int64, a tinymodel.Answer) {
	return 128256, tinymodel.Answer{First: 256, Second: 257, End: 128009}
}

// Llama3Tokenizer writes tokenizer.json in Llama 3's form.
func Llama3Tokenizer(dir string) error {
	const words, pattern = 128000,
		`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	type fields = map[string]any
	names := map[int]string{0: "<|begin_of_text|>", 1: "<|end_of_text|>", 8: "<|eom_id|>", 9: "<|eot_id|>"}
	var added []fields
	for i := range 256 {
		name := names[i]
		if name == "" {
			name = fmt.Sprintf("<|reserved_special_token_%d|>", i)
		}
		added = append(added, fields{
			"id": words + i, "content": name, "single_word": false, "lstrip": false, "rstrip": false,
			"normalized": false, "special": true,
		})
	}
	bytes := fields{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}
	return writeJSON(filepath.Join(dir, "tokenizer.json"), fields{
		"version": "1.0", "truncation": nil, "padding": nil, "added_tokens": added, "normalizer": nil,
		"pre_tokenizer": fields{"type": "Sequence", "pretokenizers": []fields{
			{"type": "Split", "pattern": fields{"Regex": pattern}, "behavior": "Isolated", "invert": false}, bytes,
		}},
		"post_processor": nil, "decoder": bytes,
		"model": fields{
			"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil, "end_of_word_suffix": nil,
			"fuse_unk": false, "byte_fallback": false, "ignore_merges": true, "vocab": byteLevel(words),
			"merges": []string{"Ġ y"},
		},
	})
}

// GPTJAnswer is like Llama3Answer, for GPT-J's vocabulary.
func GPTJAnswer() (words int64, a tinymodel.Answer) {
	return 50257, tinymodel.Answer{First: 256, Second: 257, End: 50256}
}

// GPTJTokenizer writes vocab.json and merges.txt.
func GPTJTokenizer(dir string) error {
	vocabulary := byteLevel(50256)
	vocabulary["<|endoftext|>"] = 50256
	if err := writeJSON(filepath.Join(dir, "vocab.json"), vocabulary); err != nil {
		return err
	}
	return write(filepath.Join(dir, "merges.txt"), []byte("#version: 0.2\n"))
}

// The types of pieces of a SentencePiece model.
const (
	normalPiece  = 1
	unknownPiece = 2
	controlPiece = 3
	bytePiece    = 6
)

// Llama2Answer is like Llama3Answer, for the small generated vocabulary of Llama 2.
func Llama2Answer() (words int64, a tinymodel.Answer) {
	return 263, tinymodel.Answer{First: 259, Second: 260, End: 2}
}

// Llama2Tokenizer writes tokenizer.model in SentencePiece's form.
func Llama2Tokenizer(dir string) error {
	var model onnxfile.Message
	add := func(text string, kind int64) {
		model = model.Bytes(1, onnxfile.Message(nil).Text(1, text).Float(2, 0).Int(3, kind))
	}
	add("<unk>", unknownPiece)
	add("<s>", controlPiece)
	add("</s>", controlPiece)
	for b := range 256 {
		add(fmt.Sprintf("<0x%02X>", b), bytePiece)
	}
	for _, word := range strings.Fields("▁yes ▁no ▁ .") {
		add(word, normalPiece)
	}
	const bpe, yes = 2, 1
	trainer := onnxfile.Message(nil).Int(3, bpe).Int(4, 263).Int(35, yes)
	normalizer := onnxfile.Message(nil).Text(1, "identity").Int(3, yes).Int(4, 0).Int(5, yes)
	return write(filepath.Join(dir, "tokenizer.model"), model.Bytes(2, trainer).Bytes(3, normalizer))
}
