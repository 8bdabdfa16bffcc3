package librispeech

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestGoldenRepack(t *testing.T) {
	golden.Each(t, "preprocess/librispeech_repack/expected.json", func(t *testing.T, path string) {
		var want struct {
			Clips []struct {
				Name string `json:"fname"`
				N    int
			}
			Input  json.RawMessage `json:"input_manifest"`
			Output any             `json:"output_manifest"`
			Audio  []struct {
				Name    string `json:"fname"`
				Samples int
			} `json:"output_audio"`
		}
		golden.ReadJSON(t, path, &want)
		dir := t.TempDir()
		write(t, filepath.Join(dir, "in.json"), string(want.Input))
		clips, err := Open(t.Context(), dir, ClipOptions{Manifest: "in.json"})
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range want.Clips { // the lengths of the files
			clips[i].Samples = c.N
		}
		packs := PackClips(clips, "out")
		var made []AudioClip
		for i, p := range packs {
			made = append(made, p.AudioClip)
			if p.Path != want.Audio[i].Name || p.Samples != want.Audio[i].Samples {
				t.Errorf("%s of %d samples, want %+v", p.Path, p.Samples, want.Audio[i])
			}
		}
		var got bytes.Buffer
		if err := WriteManifest(&got, made); err != nil {
			t.Fatal(err)
		}
		var read any
		if err := json.Unmarshal(got.Bytes(), &read); err != nil || !reflect.DeepEqual(read, want.Output) {
			t.Errorf("%v\n%s", err, got.Bytes())
		}
	})
}

// TestManifestIsPythons: the bytes, made by json.dump with an indent of 2.
func TestManifestIsPythons(t *testing.T) {
	const want = "[\n  {\n    \"transcript\": \"caf\\u00e9 \\ud83d\\ude00 a\\\"b <c>\",\n    \"files\": [\n      {\n" +
		"        \"channels\": 1,\n        \"sample_rate\": 16000.0,\n        \"bitdepth\": 16,\n" +
		"        \"bitrate\": 256000.0,\n        \"duration\": 0.5,\n        \"num_samples\": 8000,\n" +
		"        \"encoding\": \"Signed Integer PCM\",\n        \"silent\": false,\n        \"fname\": \"out/a-b_0.wav\",\n" +
		"        \"speed\": 1\n      }\n    ],\n    \"original_duration\": 0.5,\n    \"original_num_samples\": 8000\n  }\n]"
	path := filepath.Join(t.TempDir(), "m.json")
	clip := AudioClip{Path: "out/a-b_0.wav", Transcript: "café 😀 a\"b <c>", Samples: 8000}
	if err := SaveManifest(path, []AudioClip{clip}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	if err := SaveManifest(path, nil); !errors.Is(err, os.ErrExist) {
		t.Errorf("%v, want one that says that the file exists", err)
	}
}

// length reads the length that a test's file says.
func length(path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	var n int
	_, err = fmt.Sscan(string(text), &n)
	return n, err
}

func TestOpenManifest(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.wav"), "16000")
	write(t, filepath.Join(dir, "b.wav"), "240000")
	write(t, filepath.Join(dir, "text.txt"), "from a file")
	write(t, filepath.Join(dir, "m.json"), `[
		{"files": [{"fname": "fast.wav", "speed": 1.1}, {"fname": "a.wav", "speed": 1.0}],
			"original_duration": 1.0, "original_num_samples": 16000, "transcript": "one"},
		{"files": [{"fname": "long.wav", "speed": 1}], "original_duration": 15.01, "transcript": "too long"},
		{"files": [{"fname": "dropped.wav", "speed": 1}], "original_duration": 1, "transcript": "drop me"},
		{"files": [{"fname": "b.wav", "speed": 1}], "original_duration": 15.0, "text_filepath": "text.txt"}]`)
	got, err := Open(t.Context(), dir, ClipOptions{Manifest: "m.json", MaxSeconds: 15, Length: length,
		Keep: func(text string) bool { return text != "drop me" }})
	want := []AudioClip{{"a.wav", "one", 1, 16000}, {"b.wav", "from a file", 15, 240000}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	if got, err := Open(t.Context(), dir, ClipOptions{Manifest: "m.json", Count: 1}); err != nil || len(got) != 1 {
		t.Errorf("the first clip: %+v, %v", got, err)
	}
}

func TestOpenTranscripts(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "84", "121123", "84-121123.trans.txt"), "84-121123-0000 GO ON\n\n84-121123-0001  WELL \n")
	write(t, filepath.Join(dir, "84", "121123", "84-121123-0000.flac"), "32000")
	write(t, filepath.Join(dir, "84", "121123", "84-121123-0001.wav"), "16000")
	got, err := Open(t.Context(), dir, ClipOptions{Manifest: "m.json", Length: length})
	want := []AudioClip{
		{"84/121123/84-121123-0000.flac", "go on", 2, 32000}, {"84/121123/84-121123-0001.wav", "well", 1, 16000},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestBadSets(t *testing.T) {
	entry := func(more string) string {
		return `{"files": [{"fname": "a.wav", "speed": 1}], "original_duration": 1, "transcript": "x"` + more + `}`
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		says  []string
	}{
		{"nothing", nil, []string{"neither a manifest nor transcripts"}},
		{"no list", map[string]string{"m.json": "{}"}, []string{"no list of clips in JSON"}},
		{"an empty list", map[string]string{"m.json": "[]"}, []string{"it has no clip of 15 s or less"}},
		{"a clip twice", map[string]string{"m.json": "[" + entry("") + "," + entry("") + "]", "a.wav": "16000"},
			[]string{`clip 1: "a.wav" is clip 0, too`}},
		{"files missing and of other lengths", map[string]string{
			"m.json": `[` + entry("") + `, {"files": [{"fname": "b.wav", "speed": 1}], "original_duration": 3, "transcript": ""},
				` + strings.Replace(entry(`, "original_num_samples": 4`), "a.wav", "c.wav", 1) + `]`,
			"b.wav": "16000", "c.wav": "16000",
		}, []string{"a.wav: open", "b.wav: 1 s, the manifest says 3", "c.wav: 16000 samples, the manifest says 4"}},
		{"records without what is needed", map[string]string{"m.json": `[{}, {"original_duration": 1}, 3,
			{"original_duration": 1, "files": [{"fname": "a.wav", "speed": 1}]}]`},
			[]string{"clip 0: no original_duration", "clip 1: none of its 0 files", "clip 2: not as a manifest",
				"clip 3: neither transcript nor text_filepath"}},
		{"transcripts without sound", map[string]string{"x.trans.txt": "a HE\n../b SHE\nc IT\nc IT\n", "c.wav": "3"},
			[]string{"line 1: there is neither a.wav nor a.flac", `line 2: "../b" is no name`, `line 4: "c" is there twice`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range c.files {
				write(t, filepath.Join(dir, name), text)
			}
			_, err := Open(t.Context(), dir, ClipOptions{Manifest: "m.json", MaxSeconds: 15, Length: length})
			if !errors.Is(err, ErrDataset) {
				t.Fatalf("%v, want ErrDataset", err)
			}
			for _, says := range c.says {
				if !strings.Contains(err.Error(), says) {
					t.Errorf("%v\nlacks %q", err, says)
				}
			}
		})
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"files": [{"fname": "a.wav", "speed": 1}], "original_duration": 1, "transcript": "x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if c, err := readEntry(t.TempDir(), text); err == nil && (c.Path == "" || !(c.Seconds >= 0)) {
			t.Errorf("%+v", c)
		}
	})
}

func FuzzTranscripts(f *testing.F) {
	f.Add("a HE\nb SHE\n")
	f.Fuzz(func(t *testing.T, text string) {
		var faults fault.FaultList
		if clips := readLines(t.TempDir(), "x.trans.txt", text, &faults); len(clips) > 0 {
			t.Errorf("%+v in an empty folder", clips)
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
