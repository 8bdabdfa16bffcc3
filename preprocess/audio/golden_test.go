package audio

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestGoldenAudioRead(t *testing.T) {
	dir := filepath.Join(golden.Root(t), "preprocess", "audio_read")
	var want map[string]struct {
		Rate, Channels, Frames int
		SHA                    string `json:"float32_sha256"`
		MonoSHA                string `json:"mono_sha256"`
	}
	golden.ReadJSON(t, filepath.Join(dir, "expected.json"), &want)
	for name, w := range want {
		t.Run(name, func(t *testing.T) {
			c, err := Decode(readFile(t, filepath.Join(dir, name)))
			if err != nil {
				t.Fatal(err)
			}
			if c.Rate != w.Rate || c.Channels != w.Channels || len(c.Samples) != w.Frames*w.Channels {
				t.Fatalf("%d samples of %d channels at %d, want %+v", len(c.Samples), c.Channels, c.Rate, w)
			}
			if sum(c.Samples) != w.SHA || sum(c.Mono()) != w.MonoSHA {
				t.Errorf("first samples %v: other sums than the reference's", c.Samples[:min(12, len(c.Samples))])
			}
		})
	}
}

// featureCase is an entry of rnnt_features.
type featureCase struct {
	File      string
	FLAC      string `json:"flac"`
	SHA       string `json:"samples_sha256_f32le"`
	Length    int    `json:"feature_length"`
	NaN       bool   `json:"nan"`
	Tolerance float64
	First     []float64 `json:"logmel_first_frame"`
	Last      []float64 `json:"logmel_last_frame"`

	Degenerate bool // values there are rounding noise
}

func TestGoldenRNNTFeatures(t *testing.T) {
	dir := filepath.Join(golden.Root(t), "preprocess", "rnnt_features")
	var want map[string]featureCase
	golden.ReadJSON(t, filepath.Join(dir, "expected.json"), &want)
	delete(want, "_versions")
	extractor := NewRNNT()
	for name, w := range want {
		t.Run(name, func(t *testing.T) {
			samples := speech(t, filepath.Join(dir, w.File))
			if sum(samples) != w.SHA {
				t.Fatal("the samples are not the reference's")
			}
			got, err := extractor.Append(nil, samples)
			if w.NaN {
				if !errors.Is(err, ErrShort) {
					t.Fatalf("%v, want ErrShort where the reference makes NaN", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != w.Length*RNNTWidth {
				t.Fatalf("%d values, want %d frames", len(got), w.Length)
			}
			compare(t, filepath.Join(dir, name), got, w.Tolerance)
			if !w.Degenerate {
				compareLogMel(t, filepath.Join(dir, name), extractor, 1+len(samples)/hopSamples, w)
			}
		})
	}
}

// compareLogMel holds what the extractor had before splicing to six filters of its first and its last frame, and to the
// whole, [filters, frames], where it is stored.
func compareLogMel(t *testing.T, path string, extractor *RNNT, frames int, w featureCase) {
	t.Helper()
	for i, v := range w.First {
		near(t, i, float32(extractor.mel[i]), v, 1e-4)
	}
	for i, v := range w.Last {
		near(t, i, float32(extractor.mel[(frames-1)*rnntFilters+i]), v, 1e-4)
	}
	full, err := os.ReadFile(path + "_logmel_full.npy")
	if err != nil {
		return
	}
	for i, v := range npyFloats(t, full) {
		near(t, i, float32(extractor.mel[i%frames*rnntFilters+i/frames]), v, 1e-4)
	}
}

func TestGoldenMelFilters(t *testing.T) {
	dir := filepath.Join(golden.Root(t), "preprocess")
	for path, bank := range map[string]filterBank{
		"rnnt_features/mel_80x257.npy": NewRNNT().filters,
		"whisper_mel/mel_128x201.npy":  NewLogMel(128).filters,
		"whisper_mel/mel_80x201.npy":   NewLogMel(80).filters,
	} {
		want := npyFloats(t, readFile(t, filepath.Join(dir, path)))
		got := make([]float64, len(want))
		for i, f := range bank {
			copy(got[i*len(want)/len(bank)+f.first:], f.weights)
		}
		for i, w := range want {
			if math.Abs(got[i]-w) > 5e-9 {
				t.Fatalf("%s: weight %d is %v, want %v", path, i, got[i], w)
			}
		}
	}
}

func TestGoldenWhisperFeatures(t *testing.T) {
	dir := filepath.Join(golden.Root(t), "preprocess", "whisper_mel")
	type mel struct {
		First     []float64 `json:"first16"`
		Frames    int       `json:"sampled_from_first_frames"`
		Tail      *float64  `json:"tail_value"`
		TailOther float64   `json:"tail_spread"`
	}
	var want map[string]struct {
		WAV     string `json:"wav"`
		SHA     string `json:"samples_sha256_f32le"`
		Formula *struct{ N, Seed int }
		Mel128  *mel `json:"mel128"`
		Mel80   *mel `json:"mel80"`
	}
	golden.ReadJSON(t, filepath.Join(dir, "expected.json"), &want)
	delete(want, "_versions")
	for name, w := range want {
		t.Run(name, func(t *testing.T) {
			var samples []float32
			if w.Formula != nil {
				samples = made(w.Formula.N, w.Formula.Seed)
			} else {
				samples = speech(t, filepath.Join(dir, w.WAV))
			}
			if sum(samples) != w.SHA {
				t.Fatal("the samples are not the reference's")
			}
			for filters, m := range map[int]*mel{128: w.Mel128, 80: w.Mel80} {
				if m == nil {
					continue
				}
				got := NewLogMel(filters).Append(nil, samples)
				for i, v := range m.First {
					if math.Abs(float64(got[i])-v) > 2e-4 {
						t.Errorf("%d filters, value %d is %v, want %v", filters, i, got[i], v)
					}
				}
				head := make([]float32, 0, filters*m.Frames)
				for row := range filters {
					head = append(head, got[row*LogMelFrames:][:m.Frames]...)
					for _, v := range got[row*LogMelFrames+m.Frames : (row+1)*LogMelFrames] {
						if m.Tail != nil && math.Abs(float64(v)-*m.Tail) > 2e-4+m.TailOther {
							t.Fatalf("%d filters, the silence is %v, want %v", filters, v, *m.Tail)
						}
					}
				}
				suffix := map[int]string{128: ".mel128", 80: ".mel80"}[filters]
				compare(t, filepath.Join(dir, name)+suffix, head, 2e-4)
			}
		})
	}
}

// compare holds values to PATH_full.npy or to the sampled pairs (place, value) of PATH.npy.
func compare(t *testing.T, path string, got []float32, tolerance float64) {
	t.Helper()
	if full, err := os.ReadFile(path + "_full.npy"); err == nil {
		want := npyFloats(t, full)
		if len(want) != len(got) {
			t.Fatalf("%d values, want %d", len(got), len(want))
		}
		for i, w := range want {
			near(t, i, got[i], w, tolerance)
		}
		return
	}
	pairs := npyFloats(t, readFile(t, path+".npy"))
	half := len(pairs) / 2
	for i, at := range pairs[:half] {
		near(t, int(at), got[int(at)], pairs[half+i], tolerance)
	}
}

func near(t *testing.T, at int, got float32, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) <= tolerance) {
		t.Fatalf("value %d is %v, want %v within %v", at, got, want, tolerance)
	}
}

// npyFloats reads the values of a little-endian .npy file of float32 or float64, the last index fastest.
func npyFloats(t *testing.T, file []byte) []float64 {
	t.Helper()
	size := int(binary.LittleEndian.Uint16(file[8:]))
	header, data := string(file[10:10+size]), file[10+size:]
	var values []float64
	for len(data) > 0 {
		if strings.Contains(header, "<f8") {
			values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
			data = data[8:]
			continue
		}
		values = append(values, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
		data = data[4:]
	}
	if !strings.Contains(header, "'fortran_order': True") {
		return values
	}
	var rows, columns int
	if _, err := fmt.Sscanf(header[strings.Index(header, "("):], "(%d, 1, %d)", &rows, &columns); err != nil {
		t.Fatalf("the shape of %s: %v", header, err)
	}
	turned := make([]float64, len(values))
	for i, v := range values {
		turned[i%rows*columns+i/rows] = v
	}
	return turned
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func speech(t *testing.T, path string) []float32 {
	t.Helper()
	samples, err := DecodeSpeech(readFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return samples
}

// sum is the checksum of samples as little-endian float32.
func sum(samples []float32) string {
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, samples)
	return hex.EncodeToString(h.Sum(nil))
}

// made is the reference's clip of n samples by a formula.
func made(n, seed int) []float32 {
	samples := make([]float32, n)
	for k := range samples {
		v := ((k*k*seed+k*7919%12289*31)%20011 - 10005) * (k / 4000 % 5)
		samples[k] = float32(math.Floor(float64(v)/4)) / 32768
	}
	return samples
}
