package speech

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// digest returns the checksum of a clip's samples and transcript.
func digest(c Clip) string {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, c.Samples)
	fmt.Fprint(h, c.Transcript)
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// TestClipsAreFixed: models are trained on these samples, and accuracies measured.
func TestClipsAreFixed(t *testing.T) {
	for _, c := range []struct {
		set  Set
		i    int
		want string
	}{
		{Train(), 0, "1b0b970c87521d20"}, {Calibration(), 0, "dc01b7f228c8a26b"},
		{Eval(), 0, "d064a6f2d196f974"}, {Eval(), 499, "fd021341f9a9f29d"},
	} {
		if got := digest(c.set.Draw(c.i)); got != c.want {
			t.Errorf("{%#x, %d, %q},", c.set.Seed, c.i, got)
		}
	}
}

func TestClips(t *testing.T) {
	set := Eval()
	names := make(map[string]bool)
	for i := range 60 {
		c := set.Draw(i)
		seconds := float64(len(c.Samples)) / Rate
		if c.Transcript != set.Transcript(i) || seconds < 0.5 || seconds > 8 {
			t.Errorf("clip %d: %q in %v s", i, c.Transcript, seconds)
		}
		if n := set.Length(i); n != len(c.Samples) {
			t.Errorf("clip %d has %d samples, its length is said to be %d", i, len(c.Samples), n)
		}
		if rest := strings.Trim(c.Transcript, "abcdefghijklmnopqrstuvwxyz' "); rest != "" {
			t.Errorf("clip %d: %q", i, rest)
		}
		loudest, clipped := 0, 0
		for _, s := range c.Samples {
			loudest = max(loudest, int(s), -int(s))
			if s == 1<<15-1 || s == -1<<15 {
				clipped++
			}
		}
		if loudest < 500 || clipped > len(c.Samples)/1000 {
			t.Errorf("clip %d: loudest sample %d, %d of %d clipped", i, loudest, clipped, len(c.Samples))
		}
		names[set.Name(i)] = true
	}
	if len(names) != 60 {
		t.Errorf("%d names", len(names))
	}
}

// TestLettersDiffer: no two letters have formants that are close in all three.
func TestLettersDiffer(t *testing.T) {
	for a := range 26 {
		for b := range a {
			far := 0
			for j, f := range formants(a) {
				far = max(far, f-formants(b)[j], formants(b)[j]-f)
			}
			if far < 100 {
				t.Errorf("%c and %c are at most %d Hz apart", 'a'+a, 'a'+b, far)
			}
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	set := Eval()
	b.ReportAllocs()
	samples := 0
	for i := 0; b.Loop(); i++ {
		samples += len(set.Draw(i % set.N).Samples)
	}
	b.ReportMetric(float64(samples)/Rate/b.Elapsed().Seconds(), "x-real-time")
}
