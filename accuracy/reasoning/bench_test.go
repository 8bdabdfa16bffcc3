package reasoning

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// words decodes ids to words of four characters. Larger ids are whole answers.
type words struct {
	words   []string
	answers []string
}

func newWords() *words {
	w := &words{answers: []string{
		`Answer: B`, `\boxed{042}`, `\boxed{\frac{1}{2}}`, "Answer: G", `\boxed{2\sqrt{2}}`, "```python\nprint(1)\n```",
	}}
	for i := range 4096 {
		w.words = append(w.words, strconv.FormatInt(int64(i+36*36), 36)+" ")
	}
	return w
}

func (w *words) decode(ids []int32) (string, error) {
	var b strings.Builder
	for _, id := range ids {
		if int(id) < len(w.words) {
			b.WriteString(w.words[id])
		} else {
			b.WriteString(w.answers[int(id)-len(w.words)])
		}
	}
	return b.String(), nil
}

// rows returns rows of all sets except programs.
func mixedRows(n int) []TruthRow {
	kinds := []TruthRow{
		{"gpqa", "B"}, {"aime", "42"}, {"math500", `\frac12`}, {"mmlu_pro", "G"}, {"math500", `\sqrt{8}`},
		{"livecodebench", "1"},
	}
	rows := make([]TruthRow, n)
	for i := range rows {
		rows[i] = kinds[i%len(kinds)]
	}
	return rows
}

// long returns an answer with many tokens to row i.
func (w *words) long(random *rand.Rand, i, tokens int) (payload []byte) {
	for range tokens - 1 {
		payload = binary.LittleEndian.AppendUint32(payload, uint32(random.IntN(len(w.words))))
	}
	return binary.LittleEndian.AppendUint32(payload, uint32(len(w.words)+i%len(w.answers)))
}

// TestStreaming checks that the memory of a scorer does not grow with the entries of a log.
func TestStreaming(t *testing.T) {
	w := newWords()
	random := rand.New(rand.NewPCG(1, 2))
	s := New(GradingOptions{Script: GPTOSS120B, Rows: mixedRows(6), Decode: w.decode})
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var payloads [][]byte
	for i := range 6 {
		payloads = append(payloads, w.long(random, i, 3000))
	}
	add := func(entries int) {
		for i := range entries {
			if err := s.Add(int64(i%6), payloads[i%6]); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(60)
	before := held()
	add(6000) // 12 thousand characters each
	if after := held(); after > before+1<<20 {
		t.Errorf("%d bytes after 60 entries, %d after 6060", before, after)
	}
	r, err := s.Result()
	if err != nil || r.Answers != 6060 || r.Right != 5050 || r.NotExecuted != 1010 {
		t.Errorf("%+v, %v", r.counts(), err)
	}
}

// BenchmarkScorer scores a log with the size of DeepSeek-R1's: 4,388 answers of 12 thousand tokens. It does not run
// programs.
func BenchmarkScorer(b *testing.B) {
	const samples, tokens = 4388, 12_000
	w := newWords()
	random := rand.New(rand.NewPCG(1, 2))
	var payloads [][]byte
	for i := range 60 {
		payloads = append(payloads, w.long(random, i, tokens))
	}
	for _, script := range []struct {
		name   string
		script Script
	}{{"DeepSeekR1", DeepSeekR1}, {"GPTOSS120B", GPTOSS120B}} {
		b.Run(script.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(samples * tokens * 4)
			rows := mixedRows(samples)
			for b.Loop() {
				s := New(GradingOptions{Script: script.script, Rows: rows, Decode: w.decode})
				for i := range samples {
					if err := s.Add(int64(i), payloads[i%len(payloads)]); err != nil {
						b.Fatal(err)
					}
				}
				if r, err := s.Result(); err != nil || r.Right == 0 {
					b.Fatal(r, err)
				}
			}
		})
	}
}
