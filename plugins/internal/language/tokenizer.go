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

// TextTokenizer turns text into ids and back.
type TextTokenizer = pretrained.Tokenizer

// Values of the parameter tokenizer that are no paths.
const (
	EmbeddedTokenizer = manifest.Embedded
	ServerTokenizer   = "server"
)

// OpenTokenizer opens the tokenizer at a path: tokenizer.json, tokenizer.model, or a folder that holds one of them or
// vocab.json and merges.txt; embedded reads the tokenizer.json of [EmbeddedTokenizer]. No path is an error, of which
// otherwise says what may be given instead.
func OpenTokenizer(path string, embedded func() ([]byte, error), otherwise string) (TextTokenizer, error) {
	switch path {
	case EmbeddedTokenizer:
		data, err := embedded()
		if err != nil {
			return nil, err
		}
		return bpe.ParseJSON(data, bpe.ConfigOptions{})
	case "":
		return nil, sdk.Usage(errors.New("parameter tokenizer is missing: give the path of the model's tokenizer.json, " +
			"tokenizer.model or folder" + otherwise))
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
