package subword

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestGoldenBPE(t *testing.T) {
	golden.Each(t, "translation/bpe/expected.json", func(t *testing.T, path string) {
		var want struct{ Lines, V01, V02 []string }
		golden.ReadJSON(t, path, &want)
		for name, lines := range map[string][]string{"codes.v01": want.V01, "codes.v02": want.V02} {
			codes := readCodes(t, filepath.Join(filepath.Dir(path), name))
			for i, line := range want.Lines {
				if got := codes.Apply(line); got != lines[i] {
					t.Errorf("%s: %q gives\n%q, want\n%q", name, line, got, lines[i])
				}
			}
		}
	})
}

func readCodes(t *testing.T, path string) *Merges {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	codes, err := ParseCodes(data)
	if err != nil {
		t.Fatal(err)
	}
	return codes
}

func TestGoldenPayload(t *testing.T) {
	golden.Each(t, "translation/payload/expected.json", func(t *testing.T, path string) {
		var want struct {
			Payload []struct {
				Symbols []string
				Text    string
				Hex     string `json:"payload_hex"`
			}
		}
		golden.ReadJSON(t, path, &want)
		for _, c := range want.Payload {
			got := ofTokens(c.Symbols)
			if got != c.Text || !strings.EqualFold(hex.EncodeToString([]byte(got)), c.Hex) {
				t.Errorf("%q gives %q, want %q", c.Symbols, got, c.Text)
			}
		}
	})
}

// ofTokens is the text of tokens, in a vocabulary of just these.
func ofTokens(symbols []string) string {
	v := &Vocabulary{ids: map[string]int32{}}
	ids := make([]int32, len(symbols))
	for _, token := range specialTokens {
		v.addToken(token)
	}
	for i, s := range symbols {
		if _, ok := v.ids[s]; !ok {
			v.addToken(s)
		}
		ids[i] = v.ids[s]
	}
	return v.Text(ids)
}

func TestGoldenIDs(t *testing.T) {
	golden.Each(t, "translation/beam/expected.json", func(t *testing.T, path string) {
		var want struct {
			Sources [][]int32 `json:"source_ids"`
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		v := readVocabulary(t, filepath.Join(dir, "vocab.bpe.en"))
		checkSources(t, filepath.Join(dir, "sources.txt"), v, want.Sources)
	})
}
