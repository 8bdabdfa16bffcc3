// Package pretrained reads the tokenizers of language models from the files of published models.
//
// In scope: tokenizer.json, tokenizer.model, vocab.json with merges.txt, each with its tokenizer_config.json. Out of
// scope: the tokenizers themselves (bpe, sentencepiece), and reading files (FileReader).
package pretrained

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
	"github.com/plumbline-ml/plumbline/preprocess/text/sentencepiece"
)

// Tokenizer converts text to token IDs and back. It may be used from many goroutines.
type Tokenizer interface {
	// Encode appends the IDs of a prompt, surrounded by the special tokens that the model requires. EncodePlain omits
	// them.
	Encode(dst []int32, text string) []int32
	EncodePlain(dst []int32, text string) []int32
	// Decode omits special tokens. It returns an error for IDs outside of the vocabulary.
	Decode(ids []int32) (string, error)
	Size() int // the largest ID plus one
}

// FileReader reads a file of a model's folder. If the file does not exist, the error is fs.ErrNotExist.
type FileReader func(name string) ([]byte, error)

// MaxFileBytes is the recommended size limit of a tokenizer's file; the largest known files have 35 MB.
const MaxFileBytes = 256 << 20

// ReadTokenizer reads a tokenizer from a file: NAME.json, or NAME.model in SentencePiece's format.
func ReadTokenizer(name string, files FileReader) (Tokenizer, error) {
	data, err := files(name)
	if err != nil {
		return nil, err
	}
	c, err := readConfig(files)
	if err != nil {
		return nil, err
	}
	if path.Ext(name) == ".model" {
		return c.readLlama(data)
	}
	return bpe.ParseJSON(data, bpe.ConfigOptions{CleanUp: c.CleanUp})
}

// ReadFolder reads the first kind of tokenizer that a folder contains.
func ReadFolder(files FileReader) (Tokenizer, error) {
	for _, name := range []string{"tokenizer.json", "tokenizer.model"} {
		if t, err := ReadTokenizer(name, files); !errors.Is(err, fs.ErrNotExist) {
			return t, err
		}
	}
	c, err := readConfig(files)
	if err != nil {
		return nil, err
	}
	t, err := bpe.ReadVocab(files, bpe.VocabOptions{ConfigOptions: bpe.ConfigOptions{CleanUp: c.CleanUp},
		PrefixSpace: c.PrefixSpace})
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the folder has no tokenizer.json, no tokenizer.model, and not vocab.json with merges.txt: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// tokenizerConfig contains fields of tokenizer_config.json.
type tokenizerConfig struct {
	CleanUp     bool  `json:"clean_up_tokenization_spaces"`
	PrefixSpace bool  `json:"add_prefix_space"`
	Legacy      bool  `json:"legacy"`
	Begin       *bool `json:"add_bos_token"` // default: true
	End         bool  `json:"add_eos_token"`
}

// readConfig reads tokenizer_config.json. Without this file, values are transformers 4.46's defaults.
func readConfig(files FileReader) (tokenizerConfig, error) {
	const name = "tokenizer_config.json"
	var c tokenizerConfig
	data, err := files(name)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

func (c tokenizerConfig) readLlama(data []byte) (Tokenizer, error) {
	m, err := sentencepiece.Parse(data)
	if err != nil {
		return nil, err
	}
	return sentencepiece.NewLlama(m, sentencepiece.LlamaOptions{
		Legacy: c.Legacy, CleanUp: c.CleanUp, AddEnd: c.End, NoBegin: c.Begin != nil && !*c.Begin,
	})
}
