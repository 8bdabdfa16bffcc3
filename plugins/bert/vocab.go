package bert

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/preprocess/text/features"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// embeddedVocab is the value of the parameter vocab that asks for the embedded model's vocabulary.
const embeddedVocab = "embedded"

// vocabulary makes features with one vocabulary. It is read-only.
type vocabulary struct {
	tokenizer *wordpiece.Tokenizer
	builder   *features.Builder
}

// openVocab reads the vocabulary that vocab names: a vocab.txt, "embedded", or by default the one beside the data set;
// the embedded one for the embedded data set.
func openVocab(dataset, vocab string) (*vocabulary, error) {
	text, err := readVocab(dataset, vocab)
	if err != nil {
		return nil, sdk.Data(err)
	}
	t, err := wordpiece.New(text)
	if err != nil {
		return nil, sdk.Data(err)
	}
	b, err := features.NewBuilder(t, features.Options{Length: length})
	return &vocabulary{t, b}, err
}

// mostVocab is the size up to which a vocabulary is read: the official one has 231,508 bytes.
const mostVocab = 16 << 20

func readVocab(dataset, vocab string) ([]byte, error) {
	if vocab == embeddedVocab || vocab == "" && dataset == "" {
		return modelFiles.ReadFile("model/vocab.txt")
	}
	if vocab != "" {
		text, err := backend.ReadFile(vocab, mostVocab)
		if err != nil {
			return nil, fmt.Errorf("vocabulary: %w; want the path of a vocab.txt, or %q", err, embeddedVocab)
		}
		return text, nil
	}
	places := vocabPlaces(dataset)
	for _, place := range places {
		text, err := backend.ReadFile(place, mostVocab)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return nil, fmt.Errorf("no vocabulary beside the data set: looked for %q; name it with parameter vocab: %w",
		places, fs.ErrNotExist)
}

// vocabPlaces are where the reference implementation's folders have the vocabulary of a data set.
func vocabPlaces(dataset string) []string {
	dir := dataset
	if info, err := os.Stat(dataset); err != nil || !info.IsDir() {
		dir = filepath.Dir(dataset)
	}
	return []string{
		filepath.Join(dir, "vocab.txt"),
		filepath.Join(dir, "bert_tf_v1_1_large_fp32_384_v2", "vocab.txt"),
	}
}
