package features

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
)

// reference is a file of features that the reference made.
type reference struct {
	Source      string
	IDs         string   `json:"sha256_input_ids_i64"`
	Mask        string   `json:"sha256_input_mask_i64"`
	Segments    string   `json:"sha256_segment_ids_i64"`
	FirstWords  []string `json:"doc_tokens_first_example"`
	FeatureList []struct {
		Example    int   `json:"example_index"`
		Window     int   `json:"doc_span_index"`
		IDs        []int `json:"input_ids_nonpad"`
		Words      []int `json:"token_to_orig_map"`
		MaxContext []int `json:"is_max_context_true"`
	} `json:"features"`
}

func TestGoldenFeatures(t *testing.T) {
	golden.Each(t, "preprocess/bert_features/*/features.json", func(t *testing.T, path string) {
		var want reference
		golden.ReadJSON(t, path, &want)
		source, _, _ := strings.Cut(want.Source, " ")
		got := buildAll(t, filepath.Join(filepath.Dir(path), "..", "..", "..", filepath.FromSlash(source)))
		if len(got) != len(want.FeatureList) {
			t.Fatalf("%d features, want %d", len(got), len(want.FeatureList))
		}
		if words := got[0].Passage().Words(); !slices.Equal(words[:len(want.FirstWords)], want.FirstWords) {
			t.Errorf("the first passage starts with %q, want %q", words[:len(want.FirstWords)], want.FirstWords)
		}
		checkHashes(t, got, want)
		for i, w := range want.FeatureList {
			row := make([]int32, 384)
			Fill(got[i].Feature, row, make([]int32, 384), make([]int32, 384))
			var ids, words, contexts []int
			for position := range got[i].Len() {
				ids = append(ids, int(row[position]))
				word, ok := got[i].Word(position)
				if !ok {
					word = -1
				}
				words = append(words, word)
				if got[i].HasMaxContext(position) {
					contexts = append(contexts, position)
				}
			}
			if got[i].example != w.Example || got[i].Index() != w.Window || !slices.Equal(ids, w.IDs) ||
				!slices.Equal(words, w.Words) ||
				!slices.Equal(contexts, w.MaxContext) {
				t.Errorf("feature %d: example %d window %d\n%v\n%v\n%v\nwant %+v", i, got[i].example, got[i].Index(),
					ids, words, contexts, w)
			}
		}
	})
}

type numbered struct {
	Feature
	example int
}

func buildAll(t *testing.T, dir string) (all []numbered) {
	t.Helper()
	vocab, err := os.ReadFile(filepath.Join(dir, "vocab.txt"))
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := wordpiece.New(vocab)
	if err != nil {
		t.Fatal(err)
	}
	builder, err := NewBuilder(tokenizer, LengthOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var set struct {
		Data []struct {
			Paragraphs []struct {
				Context string
				QAs     []struct{ Question string }
			}
		}
	}
	golden.ReadJSON(t, filepath.Join(dir, "dev-v1.1.json"), &set)
	example := 0
	for _, article := range set.Data {
		for _, paragraph := range article.Paragraphs {
			passage := NewPassage(tokenizer, paragraph.Context)
			for _, qa := range paragraph.QAs {
				for _, f := range builder.Build(passage, qa.Question) {
					all = append(all, numbered{f, example})
				}
				example++
			}
		}
	}
	return all
}

func checkHashes(t *testing.T, features []numbered, want reference) {
	t.Helper()
	ids, mask, segments := sha256.New(), sha256.New(), sha256.New()
	rows := [3][]int64{make([]int64, 384), make([]int64, 384), make([]int64, 384)}
	for _, f := range features {
		Fill(f.Feature, rows[0], rows[1], rows[2])
		for i, hash := range []interface{ Write([]byte) (int, error) }{ids, mask, segments} {
			if err := binary.Write(hash, binary.LittleEndian, rows[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := [3]string{hex.EncodeToString(ids.Sum(nil)), hex.EncodeToString(mask.Sum(nil)),
		hex.EncodeToString(segments.Sum(nil))}
	if got != [3]string{want.IDs, want.Mask, want.Segments} {
		t.Errorf("hashes %v, want %v", got, [3]string{want.IDs, want.Mask, want.Segments})
	}
}

func small(t testing.TB, o LengthOptions) (*wordpiece.Tokenizer, *Builder) {
	t.Helper()
	tokenizer, err := wordpiece.New([]byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\n##c\n##d\n"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewBuilder(tokenizer, o)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer, b
}

func TestWindows(t *testing.T) {
	tokenizer, builder := small(t, LengthOptions{Length: 10, Question: 2, Stride: 3})
	features := builder.Build(NewPassage(tokenizer, "a ac acd\u202fbcd b\tac zz"), "B A A")
	var got []string
	for _, f := range features {
		row, mask, segments := make([]int64, 12), slices.Repeat([]int64{7}, 12), slices.Repeat([]int64{7}, 12)
		Fill(f, row, mask, segments)
		contexts := ""
		for position := range 13 {
			if f.HasMaxContext(position) {
				contexts += fmt.Sprintf(" %d", position)
			}
		}
		got = append(got, fmt.Sprint(row, mask, segments, contexts))
	}
	want := []string{
		"[2 5 4 3 4 4 6 4 6 3 0 0] [1 1 1 1 1 1 1 1 1 1 0 0] [0 0 0 0 1 1 1 1 1 1 0 0] 4 5 6 7",
		"[2 5 4 3 4 6 7 5 6 3 0 0] [1 1 1 1 1 1 1 1 1 1 0 0] [0 0 0 0 1 1 1 1 1 1 0 0] 5 6 7",
		"[2 5 4 3 5 6 7 5 4 3 0 0] [1 1 1 1 1 1 1 1 1 1 0 0] [0 0 0 0 1 1 1 1 1 1 0 0] 5 6 7",
		"[2 5 4 3 5 4 6 1 3 0 0 0] [1 1 1 1 1 1 1 1 1 0 0 0] [0 0 0 0 1 1 1 1 1 0 0 0] 5 6 7",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if text := features[1].Text(4, 8); text != "acd bc" {
		t.Errorf("text %q", text)
	}
	if word, ok := features[1].Word(4); word != 2 || !ok {
		t.Errorf("word %d, %v", word, ok)
	}
	for _, position := range []int{-1, 0, 3, 9, 10} {
		if _, ok := features[1].Word(position); ok || features[1].HasMaxContext(position) {
			t.Errorf("position %d has a word", position)
		}
	}
}

func TestNothingToRead(t *testing.T) {
	tokenizer, builder := small(t, LengthOptions{})
	if features := builder.Build(NewPassage(tokenizer, " \n"), "a"); len(features) != 0 {
		t.Errorf("%d features of an empty passage", len(features))
	}
	features := builder.Build(NewPassage(tokenizer, "a"), "")
	if len(features) != 1 || features[0].Len() != 4 || builder.Length() != 384 {
		t.Errorf("an empty question gives %v", features)
	}
}

func TestOptionsRefused(t *testing.T) {
	for _, o := range []LengthOptions{{Length: 67}, {Stride: -1}, {Question: -1}, {Length: 3, Question: -5}} {
		if _, err := NewBuilder(nil, o); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// FuzzBuild checks that the windows cover the passage, and that each token has its most context in exactly one of them.
func FuzzBuild(f *testing.F) {
	f.Add("a ac acd\u202fbcd b\tac zz", "b a", 5, 3)
	f.Add(strings.Repeat("acd [SEP] \xff", 20), "", 1, 9)
	f.Fuzz(func(t *testing.T, text, question string, room, stride int) {
		if room < 1 || room > 1000 || stride < 1 {
			t.Skip("no such lengths")
		}
		tokenizer, builder := small(t, LengthOptions{Length: room + 8 + specialCount, Question: 8, Stride: stride})
		passage := NewPassage(tokenizer, text)
		seen := make([]int, passage.TokenCount())
		row := make([]int32, builder.Length())
		for _, feature := range builder.Build(passage, question) {
			Fill(feature, row, slices.Clone(row), slices.Clone(row))
			for position := range row {
				if token, ok := feature.tokenAt(position); ok && feature.HasMaxContext(position) {
					seen[token]++
				}
			}
		}
		for token, n := range seen {
			if n != 1 {
				t.Fatalf("token %d of %d is best in %d windows", token, len(seen), n)
			}
		}
	})
}

// BenchmarkBuild makes the features of a passage of 700 tokens and five questions.
func BenchmarkBuild(b *testing.B) {
	vocab, err := os.ReadFile(filepath.Join("testdata", "golden", "scorers", "squad", "small", "vocab.txt"))
	if err != nil {
		b.Fatal(err)
	}
	tokenizer, err := wordpiece.New(vocab)
	if err != nil {
		b.Fatal(err)
	}
	builder, err := NewBuilder(tokenizer, LengthOptions{})
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("The mother of Kowalski measured by Kingsport Brandt near co-operate the early result? ", 20)
	var rows [3][384]int64
	b.ReportAllocs()
	for b.Loop() {
		passage := NewPassage(tokenizer, text)
		for range 5 {
			for _, f := range builder.Build(passage, "Where was the mother of Kowalski measured?") {
				Fill(f, rows[0][:], rows[1][:], rows[2][:])
			}
		}
	}
}
