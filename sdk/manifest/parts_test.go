package manifest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/plumbline-ml/plumbline/sdk"
)

const twoParts = `{
  "name": "t", "version": "1", "summary": "s",
  "params": [{"name": "beams", "help": "h"}],
  "embedded": {
    "defaults": {"beams": "2"},
    "files": [
      {"name": "embedded-fp32", "part": "encoder", "precision": "fp32"},
      {"name": "embedded-fp32", "part": "decoder", "precision": "fp32"}
    ],
    "dataset": {"name": "synthetic"}
  },
  "models": [{
    "name": "pair", "scenarios": ["Offline"], "defaults": {"beams": "10"},
    "parts": [{"name": "encoder"}, {"name": "decoder"}, {"name": "past", "optional": true}],
    "files": [{"name": "enc.onnx", "part": "encoder", "url": "https://example.org/enc.onnx"}],
    "scorerParts": [{"name": "judge"}, {"name": "clip"}, {"name": "extra", "optional": true}],
    "scorerFiles": [{"name": "embedded-fp32", "part": "judge", "precision": "fp32", "embedded": true}]
  }]
}`

const partCard = `{"files": [
  {"name": "e.onnx", "part": "encoder", "precision": "fp32", "size": 1, "sha256": "aa"},
  {"name": "d.onnx", "part": "decoder", "precision": "fp32", "size": 1, "sha256": "bb"},
  {"name": "j.onnx", "part": "judge", "precision": "fp32", "size": 1, "sha256": "cc"}
]}`

func partFolder() fs.FS {
	return fstest.MapFS{
		"model/card.json": {Data: []byte(partCard)}, "model/e.onnx": {Data: []byte("e")}, "model/d.onnx": {Data: []byte("d")},
		"model/j.onnx": {Data: []byte("j")},
	}
}

func TestFilesOfParts(t *testing.T) {
	m, err := readManifest(twoParts, partFolder(), sizes())
	if err != nil {
		t.Fatal(err)
	}
	if info := m.Describe().Models[0]; len(info.Parts) != 3 || !info.Parts[2].Optional ||
		info.Files[1].Part != "decoder" || info.Files[1].SHA256 != "bb" {
		t.Errorf("parts %+v, files %+v", info.Parts, info.Files)
	}
	dir := t.TempDir()
	one, two := filepath.Join(dir, "1.onnx"), filepath.Join(dir, "2.onnx")
	for _, path := range []string{one, two} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		o     sdk.Options
		want  string // paths and bytes of encoder, decoder and past
		beams string
	}{
		"nothing said": {sdk.Options{}, "e d -", "2"},
		"a name":       {sdk.Options{ModelFile: "embedded-fp32"}, "e d -", "2"},
		"paths": {sdk.Options{PartFiles: map[string]string{"encoder": one, "decoder": two}},
			one + " " + two + " -", "10"},
		"an optional one": {
			sdk.Options{PartFiles: map[string]string{"encoder": "embedded-fp32", "decoder": "embedded-fp32", "past": two}},
			"e d " + two, "10",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := m.runRequest(c.o)
			if err = errors.Join(err, r.Err()); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, part := range []string{"encoder", "decoder", "past"} {
				f, ok := r.Files[part]
				if !ok {
					got = append(got, "-")
					continue
				}
				got = append(got, f.Path+string(f.Bytes))
			}
			if text := strings.Join(got, " "); text != c.want || r.Params.Text("beams") != c.beams ||
				r.Embedded != (c.beams == "2") {
				t.Errorf("files %s, beams %s, embedded %v; want %s, %s", text, r.Params.Text("beams"), r.Embedded, c.want, c.beams)
			}
		})
	}
	for name, c := range map[string]struct {
		o     sdk.Options
		class error
		want  []string
	}{
		"one is missing": {sdk.Options{PartFiles: map[string]string{"encoder": one}}, sdk.ErrUsage,
			[]string{"no file for part decoder", "--model decoder=PATH"}},
		"unknown": {sdk.Options{PartFiles: map[string]string{"encodr": one}}, sdk.ErrUsage,
			[]string{`unknown part "encodr"`, "encoder, decoder, past"}},
		"one for all": {sdk.Options{ModelFile: one}, sdk.ErrUsage, []string{"several parts", "--model encoder=PATH"}},
		"not fetched": {
			sdk.Options{PartFiles: map[string]string{"encoder": "enc.onnx", "decoder": two}}, sdk.ErrData,
			[]string{"part encoder", "harness fetch pair"},
		},
		"no such path": {sdk.Options{PartFiles: map[string]string{"encoder": one, "decoder": "none.onnx"}}, sdk.ErrData,
			[]string{"part decoder", "none.onnx"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := m.runRequest(c.o)
			err = errors.Join(err, r.Err())
			wantAll(t, err, c.want...)
			if !errors.Is(err, c.class) {
				t.Errorf("error %v is not of class %v", err, c.class)
			}
		})
	}
	r, err := parsed(t).runRequest(sdk.Options{PartFiles: map[string]string{"encoder": one}})
	wantAll(t, errors.Join(err, r.Err()), "encoder", "one has one part")
}

func TestPartsOfFilesAreChecked(t *testing.T) {
	_, err := readManifest(strings.ReplaceAll(twoParts, `"part": "encoder", "url"`, `"part": "encodr", "url"`),
		partFolder(), sizes())
	wantAll(t, err, `enc.onnx: unknown part "encodr"`)
	_, err = readManifest(strings.ReplaceAll(twoParts, `"part": "encoder", "url"`, `"url"`), partFolder(), sizes())
	wantAll(t, err, "enc.onnx: of which part", "encoder, decoder, past")
}

func TestFilesOfTheScorer(t *testing.T) {
	m, err := readManifest(twoParts, partFolder(), sizes())
	if err != nil {
		t.Fatal(err)
	}
	if f := m.Describe().Models[0].ScorerFiles[0]; f.SHA256 != "cc" || f.Size != 1 {
		t.Errorf("file %+v, want the card's figures", f)
	}
	clip := filepath.Join(t.TempDir(), "clip.onnx")
	if err := os.WriteFile(clip, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := m.scoreRequest(sdk.ScoreOptions{PartFiles: map[string]string{"clip": clip}})
	if err = errors.Join(err, r.Err()); err != nil {
		t.Fatal(err)
	}
	if len(r.Files) != 2 || string(r.Files["judge"].Bytes) != "j" || r.Files["clip"].Path != clip {
		t.Errorf("files %+v, want the embedded judge and the clip given", r.Files)
	}
	for _, c := range []struct {
		files map[string]string
		class error
		want  []string
	}{
		{nil, sdk.ErrUsage, []string{"no file for part clip of the scorer", "--scorer-model clip=PATH"}},
		{map[string]string{"clip": "none.onnx"}, sdk.ErrData, []string{"part clip of the scorer", "none.onnx"}},
		{map[string]string{"clip": clip, "klip": clip}, sdk.ErrUsage, []string{`unknown part "klip"`, "judge, clip, extra"}},
	} {
		r, err := m.scoreRequest(sdk.ScoreOptions{PartFiles: c.files})
		err = errors.Join(err, r.Err())
		wantAll(t, err, c.want...)
		if !errors.Is(err, c.class) {
			t.Errorf("error %v is not of class %v", err, c.class)
		}
	}
	r, err = parsed(t).scoreRequest(sdk.ScoreOptions{PartFiles: map[string]string{"clip": clip}})
	wantAll(t, errors.Join(err, r.Err()), `unknown part "clip"`, "none")
	_, err = readManifest(strings.ReplaceAll(twoParts, `"part": "judge"`, `"part": "juge"`), partFolder(), sizes())
	wantAll(t, err, `unknown part "juge"`, "no juge fp32 file")
}
