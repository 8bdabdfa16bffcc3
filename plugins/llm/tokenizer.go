package llm

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/preprocess/text/pretrained"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// textTokenizer converts text to token IDs and back.
type textTokenizer = language.TextTokenizer

// openTokenizer opens the tokenizer at path, or the embedded one. For the server's own tokenizer it returns nil.
func openTokenizer(path string) (textTokenizer, error) {
	if path == language.ServerTokenizer {
		return nil, nil
	}
	return language.OpenTokenizer(path, func() ([]byte, error) { return modelFiles.ReadFile("model/tokenizer.json") },
		", or tokenizer=server for a server that takes text")
}

// openSplitter returns a sentence splitter with the parameters of a punkt_tab folder, or with the built-in ones.
func openSplitter(dir string) (*punkt.Splitter, error) {
	if dir == "" {
		return punkt.NewSplitter(punkt.English()), nil
	}
	var f punkt.ParameterFiles
	var faults []error
	for name, into := range map[string]*[]byte{
		"abbrev_types.txt": &f.Abbreviations, "collocations.tab": &f.Collocations,
		"sent_starters.txt": &f.Starters, "ortho_context.tab": &f.Orthography,
	} {
		var err error
		*into, err = backend.ReadFile(filepath.Join(dir, name), pretrained.MaxFileBytes)
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, sdk.Data(fmt.Errorf("parameter punkt: %w", err))
	}
	p, err := punkt.Parse(f)
	if err != nil {
		return nil, sdk.Data(fmt.Errorf("parameter punkt: %s: %w", dir, err))
	}
	return punkt.NewSplitter(p), nil
}
