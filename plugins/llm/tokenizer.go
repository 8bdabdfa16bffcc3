package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
	"github.com/plumbline-ml/plumbline/preprocess/text/sentencepiece"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// tokenizer turns text into ids and back. It may be used from many goroutines.
type tokenizer interface {
	// Encode appends the ids of a prompt, with the special tokens that the model wants around it; EncodePlain without.
	Encode(dst []int32, text string) []int32
	EncodePlain(dst []int32, text string) []int32
	// Decode leaves out special tokens. It fails for ids outside of the vocabulary.
	Decode(ids []int32) (string, error)
	Size() int
}

// Values of the parameter tokenizer that are no paths.
const (
	embeddedTokenizer = manifest.Embedded
	serverTokenizer   = "server"
)

// openTokenizer opens the tokenizer at a path: tokenizer.json, tokenizer.model, or a folder that holds one of them or
// vocab.json and merges.txt. For the server's own there is none: nil.
func openTokenizer(path string) (tokenizer, error) {
	switch path {
	case embeddedTokenizer:
		data, err := modelFiles.ReadFile("model/tokenizer.json")
		if err != nil {
			return nil, err
		}
		return bpe.ParseJSON(data, bpe.Options{})
	case serverTokenizer:
		return nil, nil
	case "":
		return nil, sdk.Usage(errors.New("parameter tokenizer is missing: give the path of the model's tokenizer.json, " +
			"tokenizer.model or folder, or tokenizer=server for a server that takes text"))
	}
	t, err := readTokenizer(path)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("tokenizer %s: %w", path, err))
	}
	return t, nil
}

// mostTokenizer is the size up to which each file of a tokenizer is read: the largest known have 35 MB.
const mostTokenizer = 256 << 20

func readTokenizer(path string) (tokenizer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return readFolder(path)
	}
	data, err := backend.ReadFile(path, mostTokenizer)
	if err != nil {
		return nil, err
	}
	config, err := readConfig(filepath.Join(filepath.Dir(path), "tokenizer_config.json"))
	if err != nil {
		return nil, err
	}
	if filepath.Ext(path) == ".model" {
		return config.llama(data)
	}
	return bpe.ParseJSON(data, bpe.Options{CleanUp: config.CleanUp})
}

// readFolder reads the first kind of tokenizer that a folder has.
func readFolder(dir string) (tokenizer, error) {
	for _, name := range []string{"tokenizer.json", "tokenizer.model"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return readTokenizer(filepath.Join(dir, name))
		}
	}
	config, err := readConfig(filepath.Join(dir, "tokenizer_config.json"))
	if err != nil {
		return nil, err
	}
	t, err := bpe.ReadVocab(func(name string) ([]byte, error) {
		return backend.ReadFile(filepath.Join(dir, name), mostTokenizer)
	}, bpe.VocabOptions{Options: bpe.Options{CleanUp: config.CleanUp}, PrefixSpace: config.PrefixSpace})
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("the folder has no tokenizer.json, no tokenizer.model, and not vocab.json with merges.txt: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// tokenizerConfig is what tokenizer_config.json may say.
type tokenizerConfig struct {
	CleanUp     bool  `json:"clean_up_tokenization_spaces"`
	PrefixSpace bool  `json:"add_prefix_space"`
	Legacy      bool  `json:"legacy"`
	Begin       *bool `json:"add_bos_token"` // true where it is not said
	End         bool  `json:"add_eos_token"`
}

// readConfig reads a tokenizer_config.json; without one, its values are those of transformers 4.46.
func readConfig(path string) (tokenizerConfig, error) {
	var c tokenizerConfig
	data, err := backend.ReadFile(path, mostTokenizer)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return c, nil
}

func (c tokenizerConfig) llama(data []byte) (tokenizer, error) {
	m, err := sentencepiece.Parse(data)
	if err != nil {
		return nil, err
	}
	return sentencepiece.NewLlama(m, sentencepiece.LlamaOptions{
		Legacy: c.Legacy, CleanUp: c.CleanUp, AddEnd: c.End, NoBegin: c.Begin != nil && !*c.Begin,
	})
}

// openSplitter reads the parameters of a splitter into sentences from a folder of punkt_tab, or
// takes the built-in ones.
func openSplitter(dir string) (*punkt.Splitter, error) {
	if dir == "" {
		return punkt.New(punkt.English()), nil
	}
	var f punkt.Files
	var faults []error
	for name, into := range map[string]*[]byte{
		"abbrev_types.txt": &f.Abbreviations, "collocations.tab": &f.Collocations,
		"sent_starters.txt": &f.Starters, "ortho_context.tab": &f.Orthography,
	} {
		var err error
		*into, err = backend.ReadFile(filepath.Join(dir, name), mostTokenizer)
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, sdk.Data(fmt.Errorf("parameter punkt: %w", err))
	}
	p, err := punkt.Parse(f)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("parameter punkt: %s: %w", dir, err))
	}
	return punkt.New(p), nil
}
