package wer

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
)

func TestBadEntries(t *testing.T) {
	s, err := NewRNNT([]string{"one two"}, PayloadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		index   uint64
		payload []byte
		kind    error
		says    string
	}{
		{"another dtype", 0, make([]byte, 12), ErrPayload, "12 bytes, want a multiple of 8 for dtype int64"},
		{"the blank", 0, []byte{28, 0, 0, 0, 0, 0, 0, 0}, ErrPayload, "label 28, want 0 to 27"},
		{"below 0", 0, []byte{255, 255, 255, 255, 255, 255, 255, 255}, ErrPayload, "label -1"},
		{"no sample", 1, nil, ErrIndex, "1 of 1"},
	} {
		if err := s.Add(c.index, c.payload); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.kind, c.says)
		}
	}
	if _, err := s.Result(); !errors.Is(err, ErrNoWords) {
		t.Errorf("%v, want ErrNoWords", err)
	}
	if err := s.Add(0, nil); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Result(); err != nil || r.String() != "Word Error Rate: 100.0%, accuracy=0.0%" {
		t.Errorf("nothing heard: %v, %v", r, err)
	}
	if _, err := NewWhisper(nil, PayloadOptions{DType: 99}); err == nil {
		t.Error("an unknown dtype is taken")
	}
}

func TestTranscriptsThatTheScriptDrops(t *testing.T) {
	for _, text := range []string{"$,5", "1" + strings.Repeat("0", 36)} {
		if clean, err := CleanTranscript(text); !errors.Is(err, ErrTranscript) {
			t.Errorf("%q gives %q, %v; want ErrTranscript", text, clean, err)
		}
	}
}

func FuzzTexts(f *testing.F) {
	for _, text := range []string{
		"Mr. Smith paid $3.25 at 8:00", "two and a half million point five", "won't (x) [y] é½",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if clean, err := CleanTranscript(text); err == nil && keepLabels(rnntLabels, clean) != clean {
			t.Errorf("%q", clean)
		}
		_ = NormaliseEnglish(text)
		if back, err := decodeLabels(whisperLabels, accuracy.Int64, EncodePayload(text)); err != nil {
			t.Errorf("%q: %v", back, err)
		}
	})
}

// BenchmarkWhisper scores as many clips as the data set contains, with 75 words each and an error in one of ten words.
func BenchmarkWhisper(b *testing.B) {
	const clips, words = 1633, 75
	vocabulary := strings.Fields("the colour of twenty one grey houses he said isn't mister brown's but saint james " +
		"paid two dollars and fifty cents for theatre tickets in nineteen hundred and five")
	rng := rand.New(rand.NewPCG(1, 2))
	references, payloads := make([]string, clips), make([][]byte, clips)
	for i := range references {
		said := make([]string, words)
		for j := range said {
			said[j] = vocabulary[rng.IntN(len(vocabulary))]
		}
		references[i] = strings.Join(said, " ")
		for j := range said {
			if rng.IntN(10) == 0 {
				said[j] = "no"
			}
		}
		payloads[i] = EncodePayload(strings.Join(said, " "))
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := NewWhisper(references, PayloadOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for i, p := range payloads {
			if err := s.Add(uint64(i), p); err != nil {
				b.Fatal(err)
			}
		}
	}
}
