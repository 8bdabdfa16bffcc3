package clip

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// tokenizers are the five of the cases, by the key of their ids.
func tokenizers(t testing.TB, dir string) map[string]*Tokenizer {
	t.Helper()
	large, small := filepath.Join(dir, "tokenizer"), filepath.Join(dir, "..", "e2e", "model", "tokenizer")
	return map[string]*Tokenizer{
		"ids":         open(t, large, configOf(t, large)),
		"ids_2":       open(t, large, configOf(t, filepath.Join(dir, "tokenizer_2"))),
		"scorer_ids":  open(t, large, TokenizerOptions{Scorer: true}),
		"small_ids":   open(t, small, configOf(t, small)),
		"small_ids_2": open(t, small, configOf(t, small+"_2")),
	}
}

func configOf(t testing.TB, dir string) TokenizerOptions {
	t.Helper()
	o, err := ParseConfig(read(t, dir, "tokenizer_config.json"))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func open(t testing.TB, dir string, o TokenizerOptions) *Tokenizer {
	t.Helper()
	tokenizer, err := Parse(read(t, dir, "vocab.json"), read(t, dir, "merges.txt"), o)
	if err != nil {
		t.Fatal(err)
	}
	return tokenizer
}

func read(t testing.TB, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// row is a caption with its ids by tokenizer, without padding.
type row struct {
	Caption string
	Repair  bool
	IDs     map[string][]int32
}

func (r *row) UnmarshalJSON(data []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	r.IDs = map[string][]int32{}
	for key, value := range fields {
		var err error
		switch {
		case key == "caption":
			err = json.Unmarshal(value, &r.Caption)
		case key == "encoding_repair":
			err = json.Unmarshal(value, &r.Repair)
		case strings.Contains(key, "ids"):
			var ids []int32
			err = json.Unmarshal(value, &ids)
			r.IDs[key] = ids
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func readRows(t testing.TB, path string) (rows []row) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(string(read(t, filepath.Dir(path), "captions.jsonl"))))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// TestGoldenCaptions tokenizes captions by each of the tokenizers. Those whose text the reference repairs are counted.
func TestGoldenCaptions(t *testing.T) {
	golden.Each(t, "text_to_image/tokenizer/expected.json", func(t *testing.T, path string) {
		rows := readRows(t, path)
		sums := map[string]string{}
		golden.ReadJSON(t, path, &struct {
			Sums *map[string]string `json:"sha256_int64"`
		}{&sums})
		for name, tokenizer := range tokenizers(t, filepath.Dir(path)) {
			checkRows(t, name, tokenizer, rows, sums[name])
		}
	})
}

func checkRows(t *testing.T, name string, tokenizer *Tokenizer, rows []row, sum string) {
	t.Helper()
	hash, repaired := sha256.New(), 0
	for _, r := range rows {
		want := r.IDs[name] // cut behind the last id that the padding does not give
		want = append(slices.Clone(want), slices.Repeat([]int32{tokenizer.Pad()}, Context-len(want))...)
		padded := tokenizer.EncodePadded(nil, r.Caption)
		switch {
		case r.Repair:
			repaired++
			padded = want
			if !MayNeedRepair(r.Caption) {
				t.Errorf("%q does not look as if it needed repair", r.Caption)
			}
		case !slices.Equal(padded, want):
			t.Errorf("%s %q: %v, want %v", name, r.Caption, padded, want)
		}
		for _, id := range padded {
			_ = binary.Write(hash, binary.LittleEndian, int64(id)) // a hash takes everything
		}
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != sum {
		t.Errorf("%s: sha256 of all ids %s, want %s", name, got, sum)
	}
	t.Logf("%s: %d captions, of which %d need the repair that is left out", name, len(rows), repaired)
}

// BenchmarkGoldenCaptions is a caption of the golden set by the generator's first tokenizer.
func BenchmarkGoldenCaptions(b *testing.B) {
	path := filepath.Join(golden.Root(b), "text_to_image", "tokenizer", "expected.json")
	rows, tokenizer := readRows(b, path), tokenizers(b, filepath.Dir(path))["ids"]
	var ids []int32
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		ids = tokenizer.EncodePadded(ids[:0], rows[i%len(rows)].Caption)
	}
}
