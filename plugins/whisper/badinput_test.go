package whisper

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/librispeech"
	"github.com/plumbline-ml/plumbline/sdk"
)

// sounds are WAV files that a data set cannot have, and what is said of them.
func sounds() map[string]struct {
	file []byte
	want string
} {
	good := librispeech.EncodeWAV(make([]int16, 1600))
	with := func(at int, value uint32, size int) []byte {
		file := append([]byte(nil), good...)
		if size == 2 {
			binary.LittleEndian.PutUint16(file[at:], uint16(value))
		} else {
			binary.LittleEndian.PutUint32(file[at:], value)
		}
		return file
	}
	return map[string]struct {
		file []byte
		want string
	}{
		"another rate":  {with(24, 22050, 4), "22050"},
		"two channels":  {with(22, 2, 2), "channel"},
		"empty":         {nil, "not a WAV or FLAC file"},
		"cut":           {good[:1000], "damaged or cut off"},
		"cut header":    {good[:30], "audio: "},
		"lying length":  {with(40, 1<<30, 4), "damaged or cut off"},
		"no samples":    {librispeech.EncodeWAV(nil), "no samples"},
		"not a number":  {floatWAV(float32(math.NaN())), "sample 0 is NaN"},
		"cut flac":      {[]byte("fLaC\x00\x00\x00\x22"), "audio: "},
		"other samples": {librispeech.EncodeWAV(make([]int16, 800)), "800 samples, the manifest says 1600"},
	}
}

// floatWAV is a file of one float32 sample.
func floatWAV(v float32) []byte {
	file := librispeech.EncodeWAV(make([]int16, 2))
	binary.LittleEndian.PutUint16(file[20:], 3)
	binary.LittleEndian.PutUint32(file[28:], 64000)
	binary.LittleEndian.PutUint16(file[32:], 4)
	binary.LittleEndian.PutUint16(file[34:], 32)
	binary.LittleEndian.PutUint32(file[44:], math.Float32bits(v))
	return file
}

func TestSoundsThatAreNone(t *testing.T) {
	for name, c := range sounds() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			clip := map[string]any{
				"files": []any{map[string]any{
					"fname": "a.wav", "speed": 1, "duration": 0.1, "num_samples": 1600, "sample_rate": 16000.0, "channels": 1,
				}},
				"original_duration": 0.1, "original_num_samples": 1600, "transcript": "a",
			}
			text, err := json.Marshal([]any{clip})
			if err != nil {
				t.Fatal(err)
			}
			for name, data := range map[string][]byte{officialManifest: text, "a.wav": c.file} {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			o := sdk.Options{Dataset: dir, Params: map[string]string{"tokenizer": "server"}}
			_, err = New().Open(t.Context(), o)
			if err == nil || !strings.Contains(err.Error(), "a.wav") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q of a.wav", err, c.want)
			}
		})
	}
}
