package bpe

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestGoldenPrompts encodes the prompts of GPT-J, cut as the benchmark cuts them.
func TestGoldenPrompts(t *testing.T) {
	golden.Each(t, "preprocess/gptj_prompts/expected.json", func(t *testing.T, path string) {
		var want struct {
			Rows []struct {
				Source string  `json:"source_sha256"`
				Tokens int     `json:"n_tokens"`
				Head   []int32 `json:"ids_head"`
				Tail   []int32 `json:"ids_tail"`
				IDs    string  `json:"ids_sha256_i64"`
			}
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		tokenizer := openVocab(t, dir)
		var articles []struct{ Instruction, Input string }
		golden.ReadJSON(t, filepath.Join(dir, "cnn_eval.json"), &articles)
		if len(articles) != len(want.Rows) || len(articles) == 0 {
			t.Fatalf("%d articles, %d rows", len(articles), len(want.Rows))
		}
		for i, a := range articles {
			const longest = 1919
			source := "Below is an instruction that describes a task, paired with an input that provides further context. " +
				"Write a response that appropriately completes the request.\n\n### Instruction:\n" + a.Instruction +
				"\n\n### Input:\n" + a.Input + "\n\n### Response:"
			w := want.Rows[i]
			if sum := sha256.Sum256([]byte(source)); hex.EncodeToString(sum[:]) != w.Source {
				t.Errorf("row %d: another prompt", i)
			}
			ids := tokenizer.Encode(nil, source)
			ids = ids[:min(len(ids), longest)]
			hash := sha256.New()
			for _, id := range ids {
				if err := binary.Write(hash, binary.LittleEndian, int64(id)); err != nil {
					t.Fatal(err)
				}
			}
			if len(ids) != w.Tokens || !slices.Equal(ids[:len(w.Head)], w.Head) ||
				!slices.Equal(ids[len(ids)-len(w.Tail):], w.Tail) ||
				hex.EncodeToString(hash.Sum(nil)) != w.IDs {
				t.Errorf("row %d: %d ids %v, want %d: %v ... %v", i, len(ids), ids, w.Tokens, w.Head, w.Tail)
			}
		}
	})
}

// TestGoldenTokenizers walks tokenizer.json files with the ids of texts.
func TestGoldenTokenizers(t *testing.T) {
	golden.Each(t, "found/*/tokenizer.json", func(t *testing.T, path string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		tokenizer, err := ParseJSON(data, ConfigOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var c cases
		golden.ReadJSON(t, filepath.Join(filepath.Dir(path), "rows.json"), &c.Rows)
		c.check(t, tokenizer)
	})
}

func openVocab(t testing.TB, dir string) *Tokenizer {
	t.Helper()
	vocab, err := os.ReadFile(filepath.Join(dir, "vocab.json"))
	if err != nil {
		t.Fatal(err)
	}
	merges, err := os.ReadFile(filepath.Join(dir, "merges.txt"))
	if err != nil {
		t.Fatal(err)
	}
	tokenizer, err := ParseVocab(vocab, merges, VocabOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}
