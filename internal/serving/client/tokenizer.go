package client

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/preprocess/text/pretrained"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// OpenTokenizer reads a model's tokenizer for prompts.Options. The path names tokenizer.json, tokenizer.model, or a
// folder that contains one of them, or vocab.json and merges.txt. The error is prompts.ErrData.
func OpenTokenizer(path string) (prompts.Tokenizer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%w: --tokenizer: %w", prompts.ErrData, err)
	}
	files := func(dir string) pretrained.FileReader {
		return func(name string) ([]byte, error) {
			return bounded.ReadFile(filepath.Join(dir, name), pretrained.MaxFileBytes)
		}
	}
	var t pretrained.Tokenizer
	if info.IsDir() {
		t, err = pretrained.ReadFolder(files(path))
	} else {
		t, err = pretrained.ReadTokenizer(filepath.Base(path), files(filepath.Dir(path)))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: --tokenizer %s: %w", prompts.ErrData, path, err)
	}
	return t, nil
}
