package llm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
	"github.com/plumbline-ml/plumbline/preprocess/text/pretrained"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// tokenizer turns text into ids and back.
type tokenizer = pretrained.Tokenizer

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

func readTokenizer(path string) (tokenizer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	files := func(dir string) pretrained.Files {
		return func(name string) ([]byte, error) { return backend.ReadFile(filepath.Join(dir, name), pretrained.Most) }
	}
	if info.IsDir() {
		return pretrained.ReadFolder(files(path))
	}
	return pretrained.Read(filepath.Base(path), files(filepath.Dir(path)))
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
		*into, err = backend.ReadFile(filepath.Join(dir, name), pretrained.Most)
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
