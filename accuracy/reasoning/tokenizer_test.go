package reasoning

import (
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// openTokenizer reads a byte-level tokenizer.json for decoding. It drops unknown ids.
func openTokenizer(t testing.TB, dir string, special bool) func([]int32) (string, error) {
	t.Helper()
	var file struct {
		Added []struct {
			ID      int32
			Content string
			Special bool
		} `json:"added_tokens"`
		Model struct{ Vocab map[string]int32 }
	}
	golden.ReadJSON(t, filepath.Join(dir, "tokenizer.json"), &file)
	bytes := byteLevel()
	tokens := map[int32]string{}
	for token, id := range file.Model.Vocab {
		var b []byte
		for _, r := range token {
			b = append(b, bytes[r])
		}
		tokens[id] = string(b)
	}
	for _, a := range file.Added {
		tokens[a.ID] = a.Content
		if a.Special && !special {
			tokens[a.ID] = ""
		}
	}
	return func(ids []int32) (string, error) {
		var b []byte
		for _, id := range ids {
			b = append(b, tokens[id]...)
		}
		return pystr.Decode(b), nil
	}
}

// byteLevel is GPT-2's alphabet: printable Latin-1 characters represent themselves, other bytes are represented by
// characters from U+0100.
func byteLevel() map[rune]byte {
	bytes := map[rune]byte{}
	next := rune(256)
	for b := range 256 {
		if b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae {
			bytes[rune(b)] = byte(b)
			continue
		}
		bytes[next] = byte(b)
		next++
	}
	return bytes
}
