package language

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
	"github.com/plumbline-ml/plumbline/preprocess/text/pretrained"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// TextTokenizer converts text to token IDs and back.
type TextTokenizer = pretrained.Tokenizer

// Values of the parameter tokenizer that are not paths.
const (
	EmbeddedTokenizer = manifest.Embedded
	ServerTokenizer   = "server"
)

// OpenTokenizer opens the tokenizer at path, which is tokenizer.json, tokenizer.model, or a folder that contains one of
// them or vocab.json and merges.txt. For [EmbeddedTokenizer], readEmbedded returns the content of its tokenizer.json.
// An empty path is an error; its text lists the alternatives.
func OpenTokenizer(path string, readEmbedded func() ([]byte, error), alternatives string) (TextTokenizer, error) {
	switch path {
	case EmbeddedTokenizer:
		data, err := readEmbedded()
		if err != nil {
			return nil, err
		}
		return bpe.ParseJSON(data, bpe.ConfigOptions{})
	case "":
		return nil, sdk.Usage(errors.New("parameter tokenizer is missing: give the path of the model's tokenizer.json, " +
			"tokenizer.model or folder" + alternatives))
	}
	t, err := readTokenizer(path)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("tokenizer %s: %w", path, err))
	}
	return t, nil
}

func readTokenizer(path string) (TextTokenizer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	files := func(dir string) pretrained.FileReader {
		return func(name string) ([]byte, error) {
			return backend.ReadFile(filepath.Join(dir, name), pretrained.MaxFileBytes)
		}
	}
	if info.IsDir() {
		return pretrained.ReadFolder(files(path))
	}
	return pretrained.ReadTokenizer(filepath.Base(path), files(filepath.Dir(path)))
}
