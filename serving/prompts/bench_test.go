package prompts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// BenchmarkIDs makes 10,000 prompts of 1024 ids. In the second case, half of each is a shared prefix.
func BenchmarkIDs(b *testing.B) {
	for _, prefix := range []string{"", "0.5/8"} {
		b.Run("prefix="+prefix, func(b *testing.B) {
			set, err := prompts.ReadSet(prompts.PromptOptions{ISL: "1024", OSL: "128", Vocabulary: "1000..31999",
				Prefix: prefix})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				set.Draw(prompts.DrawOptions{N: 10_000}).All()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/10_000/1024, "ns/token")
		})
	}
}

// BenchmarkText makes 1,000 chats of 1024 tokens with a small tokenizer.
func BenchmarkText(b *testing.B) {
	set, err := prompts.ReadSet(prompts.PromptOptions{ISL: "1024", API: prompts.Chat, Tokenizer: toy{}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		set.Draw(prompts.DrawOptions{N: 1000}).All()
	}
}

// BenchmarkRead reads rows in several forms.
func BenchmarkRead(b *testing.B) {
	words := strings.Repeat("some words of a text ", 50)
	for _, c := range []struct{ name, row string }{
		{"lines.jsonl", `{"prompt": "%d ` + words + `", "output_length": 100}` + "\n"},
		{"trace.jsonl", `{"timestamp": %d, "input_length": 1100, "output_length": 20, "hash_ids": [7, 8, 9]}` + "\n"},
		{"chats.jsonl", `{"id": "%d", "conversations": [{"from": "human", "value": "` + words + `"}, {"from": "gpt", ` +
			`"value": "` + words + `"}, {"from": "human", "value": "` + words + `"}, {"from": "gpt", "value": "x"}]}` + "\n"},
		{"lines.txt", "%d " + words + "\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			var text strings.Builder
			for i := range 10_000 {
				fmt.Fprintf(&text, c.row, i)
			}
			path := filepath.Join(b.TempDir(), c.name)
			if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := prompts.ReadSet(prompts.PromptOptions{File: path}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
