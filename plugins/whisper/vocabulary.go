package whisper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/plugins/whisper/internal/tiktoken"
	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// textVocabulary converts token IDs to text. It may be used from many goroutines.
type textVocabulary interface {
	// Decode returns an error for IDs without a token.
	Decode(ids []int32) (string, error)
}

// Values of the parameter tokenizer that are not paths.
const (
	embeddedTokens = "embedded"
	serverTokens   = "server"
)

// openVocabulary opens the vocabulary at path and checks that it contains all text IDs, which are less than special.
// For a server's own vocabulary it returns nil.
func openVocabulary(path string, special int32) (textVocabulary, error) {
	switch path {
	case embeddedTokens:
		data, err := modelFiles.ReadFile("model/tokens.tiktoken")
		if err != nil {
			return nil, err
		}
		return parseVocabulary(data, special)
	case serverTokens:
		return nil, nil
	case "":
		return nil, sdk.Usage(errors.New("parameter tokenizer is missing: give the path of the model's " +
			"multilingual.tiktoken, tokenizer.json, *-tokens.txt or folder, or tokenizer=server for a server that transcribes"))
	}
	v, err := readVocabulary(path)
	if err == nil {
		err = checkComplete(v, special)
	}
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("tokenizer %s: %w", path, err))
	}
	return v, nil
}

// parseVocabulary parses a vocabulary in tiktoken's form.
func parseVocabulary(data []byte, special int32) (textVocabulary, error) {
	v, err := tiktoken.Parse(data)
	if err != nil {
		return nil, err
	}
	return v, checkComplete(v, special)
}

// checkComplete requires a token for each ID less than special.
func checkComplete(v textVocabulary, special int32) error {
	ids := make([]int32, int(special))
	for i := range ids {
		ids[i] = int32(i)
	}
	if _, err := v.Decode(ids); err != nil {
		return fmt.Errorf("want a token for each id below the end token's, %d: %w", special, err)
	}
	return nil
}

// maxTokenizerBytes limits the size of a tokenizer's file in bytes; Whisper's have up to 4 MB.
const maxTokenizerBytes = 256 << 20

// vocabularyNames lists the names of vocabularies in a folder, in the order of searching.
var vocabularyNames = []string{"tokenizer.json", "multilingual.tiktoken", "vocab.json"}

// readVocabulary reads a file, or the first known file in a folder.
func readVocabulary(path string) (textVocabulary, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return readFolder(path)
	}
	if filepath.Base(path) == "vocab.json" {
		return bpe.ReadVocab(func(name string) ([]byte, error) {
			return backend.ReadFile(filepath.Join(filepath.Dir(path), name), maxTokenizerBytes)
		}, bpe.VocabOptions{})
	}
	data, err := backend.ReadFile(path, maxTokenizerBytes)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(path, ".json") {
		return tiktoken.Parse(data)
	}
	return bpe.ParseJSON(data, bpe.ConfigOptions{})
}

func readFolder(folder string) (textVocabulary, error) {
	for _, name := range vocabularyNames {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return readVocabulary(filepath.Join(folder, name))
		}
	}
	all, err := filepath.Glob(filepath.Join(folder, "*tokens.txt"))
	if len(all) != 1 {
		return nil, errors.Join(err, fmt.Errorf("the folder has none of %s, and not one file *tokens.txt, but %d",
			strings.Join(vocabularyNames, ", "), len(all)))
	}
	return readVocabulary(all[0])
}
