package score

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

const twoEntries = "[\n{ \"seq_id\" : 0, \"qsl_idx\" : 3, \"data\" : \"00008041\" },\n{ \"seq_id\" : 1, \"qsl_idx\" " +
	": 1, \"data\" : \"00000000\" }\n]\n"

var resnet = Scoring{Model: sdk.ModelInfo{Name: "resnet50"}}

func launch(t *testing.T, f *plugintest.Fake) plugin.Plugin {
	t.Helper()
	p, err := plugintest.New(map[string]*plugintest.Fake{"x": f}).Launch(t.Context(), "plumbline-plugin-x",
		host.LaunchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLog(t *testing.T) {
	dir := t.TempDir()
	f := plugintest.Classifier()
	for name, text := range map[string]string{"plain": twoEntries, "with text behind it": twoEntries + "\n\n  "} {
		s, err := resnet.Log(t.Context(), launch(t, f), write(t, filepath.Join(dir, "log"), text), true)
		if err != nil || s.Samples != 2 || s.SHA256 != fmt.Sprintf("%x", sha256.Sum256([]byte(text))) {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// TestLongLog checks that a scorer that stores its work gets a file named after the log's SHA-256, and that the
// progress ends at the log's size.
func TestLongLog(t *testing.T) {
	log := write(t, filepath.Join(t.TempDir(), "log"), twoEntries)
	f := plugintest.Classifier()
	var read, size int64
	_, err := Scoring{
		Model:    sdk.ModelInfo{ScorerParts: []sdk.PartInfo{{Name: "clip"}}},
		Progress: func(r, s int64) { read, size = r, s },
	}.Log(t.Context(), launch(t, f), log, false)
	want := fmt.Sprintf("%s.features-%x", log, sha256.Sum256([]byte(twoEntries)))
	if got := f.Scored()[0].Memory; err != nil || got != want {
		t.Errorf("%v, memory %s, want %s", err, got, want)
	}
	if n := int64(len(twoEntries)); read != n || size != n {
		t.Errorf("%d of %d bytes read, want %d", read, size, n)
	}
}

func TestWriteFiles(t *testing.T) {
	dir := t.TempDir()
	s := Scored{Score: sdk.Score{Files: []sdk.ScoreFile{{Name: "images/95.png", Data: []byte("picture")}}}}
	if err := s.WriteFiles(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "images", "95.png")); err != nil || string(got) != "picture" {
		t.Errorf("%q, %v", got, err)
	}
	for _, name := range []string{"", "95.png", "images/", "../images/95.png", "/images/95.png", "a//b", "./b", "a/../b"} {
		s.Files = []sdk.ScoreFile{{Name: "images/1.png"}, {Name: name}}
		if err := s.WriteFiles(dir); !errors.Is(err, errFile) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "images", "1.png")); err == nil {
		t.Error("a file beside a refused one is written")
	}
}

func TestText(t *testing.T) {
	for _, official := range []string{"accuracy=1%", "accuracy=1%\n", "accuracy=1%\n\n"} {
		s := Scored{sdk.Score{OfficialText: official}, "ab"}
		if got := s.Text(); got != "accuracy=1%\nhash=ab\n" {
			t.Errorf("%q becomes %q", official, got)
		}
	}
}

func TestLogFaults(t *testing.T) {
	dir := t.TempDir()
	good := write(t, filepath.Join(dir, "good"), twoEntries)
	const none = exitcode.Internal // no class: the log or the data set is at fault
	cases := []struct {
		name string
		path string
		err  error // error of the scorer
		code exitcode.Code
	}{
		{"missing", filepath.Join(dir, "none"), nil, none},
		{"cut", write(t, filepath.Join(dir, "cut"), twoEntries[:50]), nil, none},
		{"not a log", write(t, filepath.Join(dir, "text"), "hello"), nil, none},
		{"an entry that the scorer refuses", good, errors.New("payload of 2 bytes"), none},
		{"an option that the scorer refuses", good, sdk.Usage(errors.New("dtype float8")), exitcode.Usage},
		{"a plugin that dies", good, &host.PluginError{Kind: host.KindDied}, exitcode.Plugin},
	}
	for _, c := range cases {
		f := plugintest.Classifier()
		f.ScoreErr = c.err
		if _, err := resnet.Log(t.Context(), launch(t, f), c.path, false); exitcode.Of(err) != c.code {
			t.Errorf("%s: code %d, %v; want %d", c.name, exitcode.Of(err), err, c.code)
		}
	}
}

func TestLogInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(loadgen.ErrInterrupted)
	_, err := resnet.Log(ctx, launch(t, plugintest.Classifier()),
		write(t, filepath.Join(t.TempDir(), "log"), twoEntries), false)
	if exitcode.Of(err) != exitcode.Interrupted {
		t.Errorf("code %d: %v", exitcode.Of(err), err)
	}
}
