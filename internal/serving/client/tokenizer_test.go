package client

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// embedded is the folder of a small language model with a tokenizer of its own.
const embedded = "../../../plugins/llm/model"

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

// TestChatsOfTokens: text made of a tokenizer's words has the same number of tokens wherever a template puts it.
func TestChatsOfTokens(t *testing.T) {
	tok, err := OpenTokenizer(embedded)
	if err != nil {
		t.Fatal(err)
	}
	set, err := prompts.ReadSet(prompts.PromptOptions{ISL: "50..100", API: prompts.Chat, Tokenizer: tok})
	if err != nil {
		t.Fatal(err)
	}
	for _, template := range [][2]string{{"", ""}, {"user\n", "\nassistant\n"}, {"[INST] ", " [/INST]"}} {
		added := -1
		for _, a := range set.Draw(prompts.DrawOptions{N: 100}).All() {
			more := len(tok.EncodePlain(nil, template[0]+a.Text+template[1])) - a.InputTokens
			if added < 0 {
				added = more
			}
			if more != added || template[0] == "" && more != 0 {
				t.Errorf("%q: %d tokens more than %d, before %d", template, more, a.InputTokens, added)
			}
		}
	}
}
