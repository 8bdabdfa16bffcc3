package client

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/serving/prompts"
)

// embedded is the folder of a small language model with a tokenizer of its own.
const embedded = "../../../../plugins/llm/model"

func TestOpenTokenizer(t *testing.T) {
	for _, path := range []string{embedded, filepath.Join(embedded, "tokenizer.json")} {
		tok, err := OpenTokenizer(path)
		if err != nil {
			t.Fatal(err)
		}
		ids := tok.EncodePlain(nil, "the tiger was in the zoo")
		if text, err := tok.Decode(ids); err != nil || text != "the tiger was in the zoo" || len(ids) == 0 {
			t.Errorf("%v, %q, %v", ids, text, err)
		}
	}
	for path, want := range map[string]string{
		filepath.Join(embedded, "card.json"): "card.json", t.TempDir(): "no tokenizer.json", "none": "no such file",
	} {
		if _, err := OpenTokenizer(path); !errors.Is(err, prompts.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
