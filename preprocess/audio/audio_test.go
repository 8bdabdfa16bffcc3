package audio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wavFile is a WAV file of one format chunk and one data chunk.
func wavFile(format, channels, rate, bits int, data []byte) []byte {
	var b bytes.Buffer
	b.WriteString("RIFF\x00\x00\x00\x00WAVEfmt ")
	for _, v := range []any{uint32(16), uint16(format), uint16(channels), uint32(rate), uint32(rate * channels * bits / 8),
		uint16(channels * bits / 8), uint16(bits)} {
		_ = binary.Write(&b, binary.LittleEndian, v)
	}
	b.WriteString("data")
	_ = binary.Write(&b, binary.LittleEndian, uint32(len(data)))
	b.Write(data)
	return b.Bytes()
}

func TestDecodeRefuses(t *testing.T) {
	good := wavFile(formatPCM, 1, SampleRate, 16, make([]byte, 20))
	flacFile, err := os.ReadFile("testdata/tone.flac")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		file []byte
		kind error
		says string
	}{
		{"nothing", nil, ErrFormat, `begins with ""`},
		{"text", []byte("hello, this is no sound"), ErrFormat, `begins with "hello`},
		{"cut in its data", good[:len(good)-2], ErrDamaged, `chunk "data" says 20 bytes, the file has 18 more`},
		{"cut before its data", good[:36], ErrDamaged, "without a data chunk"},
		{"a short format chunk", bytes.Replace(good, []byte{16, 0, 0, 0}, []byte{8, 0, 0, 0}, 1), ErrDamaged, "has 8 bytes"},
		{"no channels", wavFile(formatPCM, 0, SampleRate, 16, nil), ErrDamaged, "0 channels"},
		{"ADPCM", wavFile(2, 1, SampleRate, 4, nil), ErrUnsupported, "format 2 with 4 bits"},
		{"half a sample", wavFile(formatPCM, 2, SampleRate, 16, make([]byte, 6)), ErrDamaged, "6 bytes of sound"},
		{"data first", append([]byte("RIFF\x00\x00\x00\x00WAVE"), good[36:]...), ErrDamaged, "before its format"},
		{"a FLAC file cut in a frame", flacFile[:len(flacFile)-9], ErrDamaged, "FLAC"},
		{"a FLAC file of its header", flacFile[:42], ErrDamaged, "FLAC"},
		{"a FLAC file whose header lies", lying(flacFile), ErrDamaged, "whose header says"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode(c.file)
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %v with %q", err, c.kind, c.says)
			}
		})
	}
}

// lying gives a FLAC file one sample more in its header.
func lying(file []byte) []byte {
	lies := bytes.Clone(file)
	lies[25]++
	return lies
}

func TestSpeechRefusesOtherSound(t *testing.T) {
	for _, file := range [][]byte{
		wavFile(formatPCM, 1, 8000, 16, make([]byte, 8)),
		wavFile(formatPCM, 2, SampleRate, 16, make([]byte, 8)),
	} {
		if _, err := DecodeSpeech(file); !errors.Is(err, ErrSpeech) {
			t.Errorf("%v, want ErrSpeech", err)
		}
	}
}

func TestClipsTooShortForRNNT(t *testing.T) {
	for _, n := range []int{0, 1, 256, 257, RNNTMinSamples - 1} {
		if _, err := NewRNNT().Append(nil, make([]float32, n)); !errors.Is(err, ErrShort) {
			t.Errorf("%d samples: %v, want ErrShort", n, err)
		}
	}
	got, err := NewRNNT().Append(nil, made(RNNTMinSamples, 3))
	if err != nil || len(got) != 2*RNNTWidth {
		t.Errorf("%d values, %v; want two frames", len(got), err)
	}
}

// TestFeaturesDoNotRemember: an extractor's clips have nothing to do with one another.
func TestFeaturesDoNotRemember(t *testing.T) {
	long, short := made(50000, 3), made(9000, 5)
	r, m := NewRNNT(), NewLogMel(80)
	for range 2 {
		if _, err := r.Append(nil, long); err != nil {
			t.Fatal(err)
		}
		m.Append(nil, long)
	}
	first, err := NewRNNT().Append(nil, short)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.Append(nil, short)
	if err != nil || sum(again) != sum(first) {
		t.Errorf("other features of RNN-T after another clip: %v", err)
	}
	if sum(m.Append(nil, short)) != sum(NewLogMel(80).Append(nil, short)) {
		t.Error("other features of Whisper after another clip")
	}
}

func TestLogMelOfNothing(t *testing.T) {
	for _, v := range NewLogMel(80).Append(nil, nil) {
		if v != -1.5 {
			t.Fatalf("silence is %v, want -1.5", v)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(wavFile(formatFloat, 1, SampleRate, 32, make([]byte, 20)))
	f.Add(wavFile(formatPCM, 2, SampleRate, 24, make([]byte, 12)))
	files, err := filepath.Glob("testdata/*.flac")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		file, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := Decode(file)
		if err == nil && (c.Channels < 1 || c.Rate < 1 || len(c.Samples)%c.Channels != 0) {
			t.Errorf("%d samples of %d channels at %d", len(c.Samples), c.Channels, c.Rate)
		}
		if err == nil {
			_ = c.Mono()
		}
	})
}

// BenchmarkTransform is the transforms alone of ten seconds: what no feature can be faster than.
func BenchmarkTransform(b *testing.B) {
	for _, size := range []int{rnntSize, whisperSize} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			t, x := newFourierTransform(size), make([]complex128, size)
			for i, v := range floats(made(size, 3)) {
				x[i] = complex(v, -v)
			}
			frames := append([]complex128(nil), x...)
			b.ReportAllocs()
			for b.Loop() {
				for range 10 * SampleRate / hopSamples / 2 {
					copy(frames, x)
					t.transform(frames)
				}
			}
			realTime(b, 10)
		})
	}
}

func BenchmarkRNNT(b *testing.B) {
	r, samples := NewRNNT(), made(10*SampleRate, 3)
	dst, err := r.Append(nil, samples)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = r.Append(dst[:0], samples)
	}
	realTime(b, 10)
}

func BenchmarkLogMel(b *testing.B) {
	for _, seconds := range []int{10, 30} {
		b.Run(fmt.Sprintf("%ds", seconds), func(b *testing.B) {
			m, samples := NewLogMel(128), made(seconds*SampleRate, 3)
			dst := m.Append(nil, samples)
			b.ReportAllocs()
			for b.Loop() {
				m.Append(dst[:0], samples)
			}
			realTime(b, seconds)
		})
	}
}

// realTime reports how many seconds of sound a second of one core makes features of.
func realTime(b *testing.B, seconds int) {
	b.ReportMetric(float64(seconds)*float64(b.N)/b.Elapsed().Seconds(), "x-real-time")
}

func floats(v []float32) []float64 {
	f := make([]float64, len(v))
	for i := range v {
		f[i] = float64(v[i])
	}
	return f
}
