package gnmt

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/plugins/gnmt/internal/subword"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// embeddedVocabulary is the value of the parameter vocabulary that selects the embedded model's vocabulary.
const embeddedVocabulary = "embedded"

// vocabularyPair contains the vocabularies of both languages.
type vocabularyPair struct{ source, target *subword.Vocabulary }

// openVocabularies reads the vocabularies in a folder, or the embedded ones. By default it searches the data set's
// folder and then the model's folder.
func openVocabularies(r *manifest.Request, folder string) (v vocabularyPair, err error) {
	var errSource, errTarget error
	v.source, errSource = openVocabulary(r, folder, ".en")
	v.target, errTarget = openVocabulary(r, folder, ".de")
	return v, sdk.Data(errors.Join(errSource, errTarget))
}

// vocabularyNames lists the possible names of a vocabulary, without the suffix of its language.
var vocabularyNames = [...]string{"vocab.bpe.32000", "vocab.bpe"}

// maxVocabularyBytes limits the size of a vocabulary; the official ones have 300 kB.
const maxVocabularyBytes = 64 << 20

func openVocabulary(r *manifest.Request, folder, ending string) (*subword.Vocabulary, error) {
	if folder == embeddedVocabulary {
		data, err := modelFiles.ReadFile("model/vocab.bpe" + ending)
		if err != nil {
			return nil, err
		}
		return subword.ParseVocabulary(data)
	}
	places := vocabularyPaths(r, folder, ending)
	for _, place := range places {
		data, err := backend.ReadFile(place, maxVocabularyBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		v, err := subword.ParseVocabulary(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", place, err)
		}
		return v, nil
	}
	return nil, fmt.Errorf("no vocabulary: looked for %q; name its folder with parameter vocabulary: %w", places,
		fs.ErrNotExist)
}

func vocabularyPaths(r *manifest.Request, folder, ending string) []string {
	folders := []string{folder}
	if folder == "" {
		folders = []string{r.Dataset, filepath.Dir(r.Files["encoder"].Path)}
	}
	var places []string
	for _, f := range folders {
		for _, name := range vocabularyNames {
			places = append(places, filepath.Join(f, name+ending))
		}
	}
	return places
}
