package prompts_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// toy is a tokenizer with a few words, letters and special tokens. Joined words are split into letters.
type toy struct{}

var toyTokens = append([]string{"<s>", "</s>", "<tool>", " ", "\ufffd"},
	append(strings.Split("abcdefghijklmnopqrstuvwxyz", ""),
		" the", "the", " sea", "sea", " of", "of", " half", " and", "and", " to", "to", " go", "go", " by", "by", " on", "on",
		" at",
		"at", " me", "me", " my", "my", " we", "we", " us", "us", " no", "no", " or", "or", " so", "so", " up", "up")...)

func (toy) Size() int { return len(toyTokens) }

func (toy) Decode(ids []int32) (string, error) {
	var b strings.Builder
	for _, id := range ids {
		if int(id) >= len(toyTokens) {
			return "", errors.New("no such id")
		}
		if id > 1 {
			b.WriteString(toyTokens[id])
		}
	}
	return b.String(), nil
}

func (toy) EncodePlain(dst []int32, text string) []int32 {
	for text != "" {
		end := strings.IndexByte(text[1:], ' ') + 1
		if end == 0 {
			end = len(text)
		}
		word := text[:end]
		text = text[end:]
		if i := slices.Index(toyTokens, word); i >= 0 {
			dst = append(dst, int32(i))
			continue
		}
		for word != "" {
			_, n := utf8.DecodeRuneInString(word)
			dst = append(dst, int32(max(0, slices.Index(toyTokens, word[:n]))))
			word = word[n:]
		}
	}
	return dst
}

// TestTextOfTokens checks that texts for chats have exactly the requested number of tokens, minus those of a template.
func TestTextOfTokens(t *testing.T) {
	o := prompts.PromptOptions{ISL: "40", OSL: "5", API: prompts.Chat, Tokenizer: toy{}}
	set, asks := draw(t, o, prompts.DrawOptions{N: 100})
	if len(set.Notes) > 0 {
		t.Errorf("%q", set.Notes)
	}
	for _, a := range asks {
		if n := len(toy{}.EncodePlain(nil, a.Text)); n != 40 || a.InputTokens != 40 || strings.Contains(a.Text, "half") {
			t.Errorf("%d tokens, %d asked: %q", n, a.InputTokens, a.Text)
		}
	}
	less, err := set.WithOverhead(9)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range less.Draw(prompts.DrawOptions{N: 10}).All() {
		if n := len(toy{}.EncodePlain(nil, a.Text)); n != 31 || a.InputTokens != 40 {
			t.Errorf("%d tokens and 9 of a template, %d asked", n, a.InputTokens)
		}
	}
	if _, err := set.WithOverhead(40); !errors.Is(err, prompts.ErrOptions) {
		t.Errorf("no room for a prompt: %v", err)
	}
}

// TestIDsOfATokenizer checks that the ids of prompts represent text.
func TestIDsOfATokenizer(t *testing.T) {
	set, asks := draw(t, prompts.PromptOptions{ISL: "2000", Tokenizer: toy{}}, prompts.DrawOptions{N: 2})
	if set.API != prompts.Completions {
		t.Error(set.API)
	}
	seen := map[int32]bool{}
	for _, id := range asks[0].IDs {
		seen[id] = true
	}
	if len(seen) != len(toyTokens)-3 || seen[0] || seen[1] || seen[2] {
		t.Errorf("%d ids of %d, special ones %v %v %v", len(seen), len(toyTokens), seen[0], seen[1], seen[2])
	}
}

// TestLengthsOfTexts checks that lengths of a file's texts are counted if the file does not state them.
func TestLengthsOfTexts(t *testing.T) {
	path := file(t, "a.json", `[{"id": "s", "conversations": [{"from": "human", "value": "the sea of"}, {"from": `+
		`"gpt", "value": "we go"}]}]`)
	o := prompts.PromptOptions{File: path, ISL: "trace", OSL: "trace", Tokenizer: toy{}}
	a := rows(t, o)[0]
	if a.InputTokens != 3 || a.MaxTokens != 2 || !a.Exact || a.ID != "s" {
		t.Errorf("%+v", a)
	}
	o.File = file(t, "a.jsonl", `{"text": "the sea", "answer": "the"}`+"\n"+`{"text": "go", "output_length": 7}`)
	for i, want := range [][2]int{{2, 1}, {1, 7}} {
		if a := rows(t, o)[i]; a.InputTokens != want[0] || a.MaxTokens != want[1] || !a.Exact {
			t.Errorf("%+v, want %v", a, want)
		}
	}
	o.ISL = ""
	for i, text := range []string{"the sea", "go"} { // prompts of the data, answers of equal length
		if a := rows(t, o)[i]; a.Text != text || a.MaxTokens != []int{1, 7}[i] || !a.Exact {
			t.Errorf("%+v", a)
		}
	}
	o.File = path
	if a := rows(t, o)[0]; a.Text != "the sea of" || a.MaxTokens != 2 || !a.Exact {
		t.Errorf("%+v", a)
	}
	o.Tokenizer = nil
	if _, err := prompts.ReadSet(o); err == nil || !strings.Contains(err.Error(), "give --tokenizer") {
		t.Errorf("%v", err)
	}
}

func TestOverhead(t *testing.T) {
	asked := []int64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}
	got := []int64{19, 29, 39, 49, 59, 69, 79, 89, 99, 108}
	if n, agreed := prompts.TokenOverhead(asked, got); n != 9 || !agreed {
		t.Errorf("%d, %v", n, agreed)
	}
	got[3], got[4] = 40, 50
	if n, agreed := prompts.TokenOverhead(asked, got); n != 9 || agreed {
		t.Errorf("%d, %v", n, agreed)
	}
	if _, agreed := prompts.TokenOverhead(nil, nil); agreed {
		t.Error("nothing agrees")
	}
}
