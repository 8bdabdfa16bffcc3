package models

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// librispeech writes a small LibriSpeech and returns its folder.
func librispeech(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "LibriSpeech")
	if err := officialdata.WhisperTranscripts(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// names lists the files in a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// TestConvert: the plugin makes Whisper's clips from LibriSpeech's, with paths below the working directory, too.
func TestConvert(t *testing.T) {
	t.Parallel()
	in := librispeech(t)
	cmd := harness.Command(t, built.Harness(), "dataset", "convert", "whisper", "repack", "LibriSpeech", "a/b", "--param",
		"folder=clips")
	cmd.Dir = filepath.Dir(in)
	harness.Finish(t, cmd).WantCode(t, 0).WantOutput(t,
		"1 clips of 0.01 h, made of 20; the manifest is dev-all-repack.json")
	out := filepath.Join(cmd.Dir, "a", "b")
	if got := names(t, out); !slices.Equal(got, []string{"clips", "dev-all-repack.json"}) {
		t.Errorf("it made %v", got)
	}
	samples := 0
	for i := range 20 {
		samples += 8000 + 160*i
	}
	samples += 19 * 8000 // silence between them
	if info, err := os.Stat(filepath.Join(out, "clips", "100-20_0.wav")); err != nil ||
		info.Size() != int64(44+2*samples) {
		t.Errorf("%+v, %v; want %d samples", info, err, samples)
	}
	if text := testfile.Read(t, filepath.Join(out, "dev-all-repack.json")); !strings.Contains(text,
		`"fname": "clips/100-20_0.wav"`) || strings.Contains(text, cmd.Dir) {
		t.Errorf("the manifest is\n%s", text)
	}
	if got := names(t, filepath.Dir(out)); !slices.Equal(got, []string{"b"}) {
		t.Errorf("left beside it: %v", got)
	}
}

func TestConvertRefuses(t *testing.T) {
	t.Parallel()
	in := librispeech(t)
	dir := filepath.Dir(in)
	chapter := filepath.Join(in, "dev-clean", "100", "20")
	manifest := filepath.Join(in, "bad.json")
	entry := func(name string, seconds float64) string {
		return fmt.Sprintf(`{"files": [{"fname": %q, "speed": 1}], "original_duration": %v, "transcript": "x"}`, name,
			seconds)
	}
	clip := func(i int) string { return filepath.Join(chapter, fmt.Sprintf("100-20-%04d.wav", i)) }
	text := "[" + strings.Join([]string{
		entry("gone.wav", 1), entry(clip(0), 0.5), entry(clip(0), 0.5), entry(clip(1), 9), entry("/no/such.wav", 1),
		entry("dev-clean/100/20/100-20.trans.txt", 1),
	}, ",") + "]"
	if err := os.WriteFile(manifest, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	convert := []string{"dataset", "convert"}
	for _, c := range []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"whisper", "repack", manifest, dir + "/out"}, 6,
			[]string{"gone.wav", "is clip 1, too", "the manifest says 9", "/no/such.wav", "want RIFF"}},
		{[]string{"whisper", "repack", dir, dir + "/out", "--param", "folder=../x"}, 2, []string{"want a path below OUT"}},
		{[]string{"whisper", "repack", dir, in}, 2, []string{"exists: name a folder that does not"}},
		{[]string{"whisper", "repack", dir + "/none", dir + "/out"}, 6, []string{"no such file or directory"}},
		{[]string{"whisper", "unpack", dir, dir + "/out"}, 2, []string{`"convert unpack"`, "convert repack"}},
		{[]string{"resnet50", "repack", dir, dir + "/out"}, 2, []string{"resnet50 has convert calibration, verify, export"}},
	} {
		r := harness.Run(t, append(slices.Clone(convert), c.args...)...).WantCode(t, c.code)
		harness.WantParts(t, r.Both(), c.want...)
	}
	if got := names(t, dir); !slices.Equal(got, []string{"LibriSpeech"}) {
		t.Errorf("there is %v", got)
	}
}

// TestConvertInterrupted: OUT does not exist, nor anything that could be mistaken for it. If the machine stalls while
// the conversion ends, OUT is complete.
func TestConvertInterrupted(t *testing.T) {
	t.Parallel()
	in := librispeech(t)
	dir, chapter := filepath.Dir(in), filepath.Join(in, "dev-clean", "100", "20")
	const clips = 4000 // each from its own chapter
	var lines strings.Builder
	for i := range clips {
		id := fmt.Sprintf("101-%d-0000", i)
		if err := os.Link(filepath.Join(chapter, "100-20-0000.wav"), filepath.Join(chapter, id+".wav")); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s YES\n", id)
	}
	if err := os.WriteFile(filepath.Join(chapter, "101.trans.txt"), []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := harness.Command(t, built.Harness(), "dataset", "convert", "whisper", "repack", in, filepath.Join(dir, "out"))
	said := harness.Printed(filepath.Join(t.TempDir(), "stderr.txt"))
	file, err := os.Create(string(said))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	cmd.Stderr = file
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	harness.WaitForText(t, cmd, said, string(said), "clips are written")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	want := map[int][]string{0: {"LibriSpeech", "out"}, 130: {"LibriSpeech"}}[cmd.ProcessState.ExitCode()]
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("exit code %d, and there is %v; it printed:\n%s", cmd.ProcessState.ExitCode(), got, said)
	}
}
