package models

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// distributed writes the first clips of the synthetic set as LibriSpeech is distributed, in FLAC files.
func distributed(t *testing.T, clips int) string {
	t.Helper()
	dir, set, lines := filepath.Join(t.TempDir(), "dev-clean"), speech.Eval(), map[string]string{}
	for i := range clips {
		part := strings.Split(set.Name(i), "-")
		file, err := officialdata.FLAC(set.Draw(i).Samples)
		if err != nil {
			t.Fatal(err)
		}
		chapter := filepath.Join(dir, part[0], part[1])
		put(t, filepath.Join(chapter, set.Name(i)+".flac"), file)
		path := filepath.Join(chapter, part[0]+"-"+part[1]+".trans.txt")
		lines[path] += set.Name(i) + " " + strings.ToUpper(set.Transcript(i)) + "\n"
	}
	for path, text := range lines {
		put(t, path, []byte(text))
	}
	return dir
}

func put(t *testing.T, path string, text []byte) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = os.WriteFile(path, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// speechSets are the same clips in the layouts of LibriSpeech.
func speechSets(t *testing.T, clips int) map[string]string {
	t.Helper()
	official := t.TempDir()
	if err := export.Speech(t.Context(), official, speech.Eval(), 0, clips); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"manifest": official, "FLAC": distributed(t, clips)}
}

// TestSpeechInItsLayouts: the embedded model recognizes the same text in drawn clips, in WAV files that the official
// manifest names, and in LibriSpeech's distributed form.
func TestSpeechInItsLayouts(t *testing.T) {
	t.Parallel()
	const clips = 12
	hear := func(more ...string) string {
		out := t.TempDir()
		harness.Run(t, append([]string{"run", "rnnt", "--count", fmt.Sprint(clips), "--mode", "accuracy", "--scenario",
			"Offline",
			"--out", out}, more...)...).WantCode(t, 0)
		return testfile.Read(t, filepath.Join(out, "rnnt", "Offline", "accuracy", "mlperf_log_accuracy.json"))
	}
	want := entries(hear())
	if len(want) != clips {
		t.Fatalf("%d answers, want %d", len(want), clips)
	}
	for name, dir := range speechSets(t, clips) {
		if got := entries(hear("--dataset", dir)); !slices.Equal(got, want) {
			t.Errorf("%s: the answers are\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// entries returns the answers of an accuracy log by sample.
func entries(log string) []string {
	var all []string
	for line := range strings.Lines(log) {
		if _, answer, ok := strings.Cut(line, `"qsl_idx"`); ok {
			all = append(all, strings.TrimRight(answer, ",\n"))
		}
	}
	slices.Sort(all)
	return all
}

// TestRepackOfFLAC makes the same files from LibriSpeech's distributed form and from the official manifest.
func TestRepackOfFLAC(t *testing.T) {
	t.Parallel()
	made := map[string]map[string]string{}
	for name, dir := range speechSets(t, 8) {
		if name == "manifest" {
			dir = filepath.Join(dir, "dev-clean-wav.json")
		}
		out := filepath.Join(t.TempDir(), "out")
		harness.Run(t, "dataset", "convert", "whisper", "repack", dir, out).WantCode(t, 0)
		made[name] = map[string]string{"manifest": testfile.Read(t, filepath.Join(out, "dev-all-repack.json"))}
		for _, clip := range names(t, filepath.Join(out, "dev-all-repack")) {
			made[name][clip] = testfile.Read(t, filepath.Join(out, "dev-all-repack", clip))
		}
	}
	for file, text := range made["manifest"] {
		if made["FLAC"][file] != text {
			t.Errorf("%s: %d bytes of FLAC files, %d of WAV files, or others", file, len(made["FLAC"][file]), len(text))
		}
	}
	if len(made["FLAC"]) != len(made["manifest"]) || len(made["FLAC"]) < 2 {
		t.Errorf("%d files of FLAC files, %d of WAV files", len(made["FLAC"]), len(made["manifest"]))
	}
}

// TestManifestsOfSpeechThatAreWrong: all faults of a data set are named at once.
func TestManifestsOfSpeechThatAreWrong(t *testing.T) {
	t.Parallel()
	for model, manifest := range map[string]string{"rnnt": "dev-clean-wav.json", "whisper": "dev-all-repack.json"} {
		dir := t.TempDir()
		if err := officialdata.WhisperTranscripts(dir); err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, c := range []struct {
			name    string
			seconds float64
		}{
			{"gone.wav", 1}, {"/no/such.wav", 1}, {"dev-clean/100/20/100-20-0000.wav", 0.5},
			{"dev-clean/100/20/100-20-0000.wav", 0.5}, {"dev-clean/100/20/100-20-0001.wav", 9},
		} {
			list = append(list, fmt.Sprintf(`{"files": [{"fname": %q, "speed": 1}], "original_duration": %v, "transcript": "x"}`,
				c.name, c.seconds))
		}
		put(t, filepath.Join(dir, manifest), []byte("["+strings.Join(list, ",")+"]"))
		args := []string{"run", model, "--dataset", dir, "--mode", "accuracy", "--scenario", "Offline", "--out", t.TempDir()}
		if model == "whisper" {
			args = append(args, whisperFiles(t)...)
		}
		r := harness.Run(t, args...).WantCode(t, 6)
		harness.WantParts(t, r.Both(), "gone.wav", "/no/such.wav", "is clip 2, too", "the manifest says 9")
	}
}

// whisperFiles returns the arguments for a small model in the official form.
func whisperFiles(t *testing.T) []string {
	t.Helper()
	dir, d := t.TempDir(), whisperDoors()[0]
	for path, graph := range d.files {
		if err := graph.Write(filepath.Join(dir, filepath.FromSlash(path))); err != nil {
			t.Fatal(err)
		}
	}
	folder := filepath.Join(dir, "models", "whisper")
	if err := officialdata.WhisperVocabulary(filepath.Join(folder, "multilingual.tiktoken")); err != nil {
		t.Fatal(err)
	}
	return []string{"--model", folder, "--param", "tokenizer=" + folder}
}

// TestGoldenSpeechLogs scores logs as the official LoadGen writes them, with the official payloads, and prints what the
// official scripts printed.
func TestGoldenSpeechLogs(t *testing.T) {
	for _, benchmark := range []string{"rnnt", "whisper"} {
		golden.Each(t, "scorers/"+benchmark+"/*/expected.json", func(t *testing.T, path string) {
			var want struct {
				Args struct {
					DType string `json:"output_dtype"`
				}
				Stdout string
			}
			testfile.ReadJSON(t, path, &want)
			dir := t.TempDir()
			for _, name := range names(t, filepath.Dir(path)) {
				put(t, filepath.Join(dir, name), []byte(testfile.Read(t, filepath.Join(filepath.Dir(path), name))))
			}
			args := []string{"score", dir, "--benchmark", benchmark, "--dataset", dir}
			if want.Args.DType != "" {
				args = append(args, "--dtype", want.Args.DType)
			}
			harness.Run(t, args...).WantCode(t, 0).WantOutput(t, want.Stdout)
			if text := testfile.Read(t, filepath.Join(dir, "accuracy.txt")); !strings.HasPrefix(text, want.Stdout+"\n") {
				t.Errorf("accuracy.txt holds %q, want %q", text, want.Stdout)
			}
		})
	}
}

// TestSpeechPayloadsOfAnotherType: they are refused if their size shows the type, and if they are not labels.
func TestSpeechPayloadsOfAnotherType(t *testing.T) {
	t.Parallel()
	for _, benchmark := range []string{"rnnt", "whisper"} {
		dir := t.TempDir()
		if err := officialdata.WhisperClips(dir); err != nil {
			t.Fatal(err)
		}
		args := []string{"score", dir, "--benchmark", benchmark, "--dataset", dir}
		if benchmark == "rnnt" {
			args = append(args, "--param", "manifest=dev-all-repack.json")
		}
		for _, c := range []struct {
			data, dtype, want string
			code              int
		}{
			{"010203", "int8", "Word Error Rate", 0},
			{"010203", "", "3 bytes", 6},
			{"0100020003", "int16", "5 bytes", 6},
			{"7F", "int8", "127", 6},
			{"FF", "int8", "-1", 6},
			{"01", "int4", "int4", 2},
		} {
			log := fmt.Sprintf("[\n{ \"seq_id\" : 0, \"qsl_idx\" : 3, \"data\" : %q }\n]\n", c.data)
			put(t, filepath.Join(dir, "mlperf_log_accuracy.json"), []byte(log))
			line := slices.Clone(args)
			if c.dtype != "" {
				line = append(line, "--dtype", c.dtype)
			}
			r := harness.Run(t, line...)
			if r.Code != c.code {
				t.Errorf("%s, %s as %q: exit code %d, want %d: %s", benchmark, c.data, c.dtype, r.Code, c.code, r.Both())
			}
			harness.WantParts(t, r.Both(), c.want)
		}
	}
}
