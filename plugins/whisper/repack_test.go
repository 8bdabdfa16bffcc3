package whisper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/librispeech"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/sdk"
)

// repackCase is what the official repackaging made of clips that a formula gives.
type repackCase struct {
	Clips []struct {
		Name    string `json:"fname"`
		N, Seed int
	}
	Input  json.RawMessage `json:"input_manifest"`
	Output any             `json:"output_manifest"`
	Audio  []struct {
		Name    string `json:"fname"`
		Samples int
		SHA256  string `json:"pcm16le_sha256"`
	} `json:"output_audio"`
}

func TestGoldenRepack(t *testing.T) {
	golden.Each(t, "preprocess/librispeech_repack/expected.json", func(t *testing.T, path string) {
		var c repackCase
		golden.ReadJSON(t, path, &c)
		in, out := t.TempDir(), t.TempDir()
		for _, clip := range c.Clips {
			put(t, filepath.Join(in, clip.Name), librispeech.EncodeWAV(formula(clip.N, clip.Seed)))
		}
		put(t, filepath.Join(in, "dev-all.json"), c.Input)
		if err := repacked(t.Context(), in, out, "out"); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(out, officialManifest))
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, c.Output) {
			t.Errorf("%v: the manifest is\n%s", err, text)
		}
		for _, a := range c.Audio {
			text, err := os.ReadFile(filepath.Join(out, a.Name))
			if err != nil || len(text) != 44+2*a.Samples {
				t.Errorf("%s: %d bytes, %v; want %d samples", a.Name, len(text), err, a.Samples)
				continue
			}
			if sum := sha256.Sum256(text[44:]); hex.EncodeToString(sum[:]) != a.SHA256 {
				t.Errorf("%s has other samples", a.Name)
			}
		}
	})
}

// formula is the clip of a seed.
func formula(n, seed int) []int16 {
	samples := make([]int16, n)
	for k := range samples {
		samples[k] = int16((k*k*seed+(k*7919%12289)*31)%20011 - 10005)
	}
	return samples
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, text, 0o666)); err != nil {
		t.Fatal(err)
	}
}

func repacked(ctx context.Context, in, out, folder string) error {
	_, err := repackClips(ctx, sdk.DatasetRequest{Input: in, Output: out,
		Params: map[string]string{sourceParam: "dev-all.json", folderParam: folder}}, func(string) {})
	return err
}

// tree writes LibriSpeech as it is distributed, with clips of these numbers of samples.
func tree(t *testing.T, lengths ...int) string {
	t.Helper()
	dir := t.TempDir()
	var lines strings.Builder
	for i, n := range lengths {
		id := "84-121123-000" + string(rune('0'+i))
		lines.WriteString(id + " WORD NUMBER " + string(rune('A'+i)) + "\n")
		put(t, filepath.Join(dir, "dev-clean", "84", "121123", id+".wav"), librispeech.EncodeWAV(formula(n, 2*i+3)))
	}
	put(t, filepath.Join(dir, "dev-clean", "84", "121123", "84-121123.trans.txt"), []byte(lines.String()))
	return dir
}

// TestRepackOfTranscripts: a tree without a manifest, whose result the benchmark reads.
func TestRepackOfTranscripts(t *testing.T) {
	out := t.TempDir()
	if err := repacked(t.Context(), tree(t, 16000, 24000, 31*16000, 30*16000), out, "clips"); err != nil {
		t.Fatal(err)
	}
	list, err := librispeech.Open(t.Context(), out,
		librispeech.ClipOptions{Manifest: officialManifest, MaxSeconds: maxSeconds, Length: readLength})
	if err != nil {
		t.Fatal(err)
	}
	want := []librispeech.AudioClip{
		{Path: "clips/84-121123_0.wav", Transcript: "word number a word number b", Seconds: 3, Samples: 48000},
		{Path: "clips/84-121123_1.wav", Transcript: "word number d", Seconds: 30, Samples: 480000},
	}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("%+v", list)
	}
}

func TestRepackOfAManifestByItsPath(t *testing.T) {
	in := tree(t, 16000)
	manifest := filepath.Join(in, "some.json")
	put(t, manifest, []byte(`[{"files": [{"fname": "dev-clean/84/121123/84-121123-0000.wav", "speed": 1}],
		"original_duration": 1.0, "transcript": "x"}]`))
	out := t.TempDir()
	if err := repacked(t.Context(), manifest, out, "clips"); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(out, officialManifest)); err != nil ||
		!strings.Contains(string(text), `"transcript": "x"`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestRepackRefuses(t *testing.T) {
	float := []byte("RIFF\x28\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x03\x00\x01\x00" +
		"\x80\x3e\x00\x00\x00\xfa\x00\x00\x04\x00\x20\x00data\x04\x00\x00\x00\x01\x00\x00\x3f")
	odd := tree(t, 16000)
	put(t, filepath.Join(odd, "dev-clean", "84", "121123", "84-121123-0000.wav"), float)
	gone := tree(t, 16000, 16000)
	if err := os.Remove(filepath.Join(gone, "dev-clean", "84", "121123", "84-121123-0001.wav")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, in, folder, want string
		class                  error
	}{
		{"folder", tree(t, 16000), "../elsewhere", "want a path below OUT", sdk.ErrUsage},
		{"no folder", tree(t, 16000), ".", "want a path below OUT", sdk.ErrUsage},
		{"long", tree(t, 31*16000), "clips", "none of its 1 clips has 30 s or less", sdk.ErrData},
		{"nothing", t.TempDir(), "clips", "neither a manifest nor transcripts", sdk.ErrData},
		{"gone", gone, "clips", "84-121123-0001.wav", sdk.ErrData},
		{"no 16 bits", odd, "clips", "none of 16 bits", sdk.ErrData},
	} {
		if err := repacked(t.Context(), c.in, t.TempDir(), c.folder); !errors.Is(err, c.class) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := repacked(ctx, tree(t, 16000), t.TempDir(), "clips"); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
}
