package models

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
)

// newstest holds the official files with a small model, to which changes are made, and a run of it.
func newstest(t *testing.T, change func(dir string)) (dir string, args []string) {
	t.Helper()
	dir = t.TempDir()
	if err := writeNewstest(dir); err != nil {
		t.Fatal(err)
	}
	change(dir)
	return dir, []string{
		"run", "gnmt", "--model", filepath.Join(dir, "models", "gnmt"), "--dataset", filepath.Join(dir, "nmt", "data"),
		"--smoke", "--mode", "accuracy", "--scenario", "Offline", "--count", "6", "--out", filepath.Join(dir, "out"),
	}
}

// edit changes the files of a data set whose names match.
func edit(t *testing.T, dir, pattern string, change func(text []byte) []byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "nmt", "data", pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v", pattern, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, change(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOddSentences translates sentences in unusual spelling equally well.
func TestOddSentences(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		want   string
		change func(dir string)
	}{
		"line ends of Windows": {"100.00                BLEU", func(dir string) {
			edit(t, dir, "*", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) })
		}},
		"vocabularies without the special tokens": {"100.00                BLEU", func(dir string) {
			edit(t, dir, "vocab*", func(b []byte) []byte { return bytes.TrimPrefix(b, []byte("<unk>\n<s>\n</s>\n")) })
		}},
		"empty lines": {"BLEU, 6 samples", func(dir string) {
			edit(t, dir, "*.32000.en", func(b []byte) []byte {
				if bytes.HasPrefix(b, []byte("<unk>")) {
					return b
				}
				return append([]byte("\n\n"), b...)
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, args := newstest(t, c.change)
			if r := harness.Run(t, args...).WantCode(t, 0); !strings.Contains(r.Both(), c.want) {
				t.Errorf("no %q in:\n%s", c.want, r.Both())
			}
		})
	}
}

// TestTranslatorsThatDoNotFit: the error names the files that do not fit together.
func TestTranslatorsThatDoNotFit(t *testing.T) {
	t.Parallel()
	embedded := filepath.Join(built.Root(), "plugins", "gnmt", "model", "encoder_fp32.onnx")
	for name, c := range map[string]struct {
		want   string
		change func(dir string)
	}{
		"an encoder of another width": {`memory float32[N,N,96], want float32[N,N,16]`, func(dir string) {
			data, err := os.ReadFile(embedded)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "models", "gnmt", "encoder.onnx"), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		"a vocabulary of another model": {"has 53 tokens, the vocabulary of the target language 20", func(dir string) {
			edit(t, dir, "vocab*.de", func(b []byte) []byte { return bytes.Join(bytes.SplitAfter(b, []byte("\n"))[:20], nil) })
		}},
		"sentences that are no text": {"line 2: it is not UTF-8", func(dir string) {
			edit(t, dir, "*.32000.en", func(b []byte) []byte {
				return bytes.Replace(b, []byte("\n"), []byte("\n\xff "), 1)
			})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, args := newstest(t, c.change)
			r := harness.Run(t, args...)
			if r.Code == 0 || !strings.Contains(r.Both(), c.want) {
				t.Errorf("code %d, no %q in:\n%s", r.Code, c.want, r.Both())
			}
		})
	}
}

// TestLogOfTranslationsThatIsCut: a cut log is refused in a run's folder.
func TestLogOfTranslationsThatIsCut(t *testing.T) {
	t.Parallel()
	dir, args := newstest(t, func(string) {})
	harness.Run(t, args...).WantCode(t, 0)
	logs, err := filepath.Glob(filepath.Join(dir, "out", "gnmt", "Offline", "accuracy", "mlperf_log_accuracy.json"))
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v, logs %q", err, logs)
	}
	log, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(logs[0], log[:len(log)*2/3], 0o600); err != nil {
		t.Fatal(err)
	}
	r := harness.Run(t, "score", filepath.Join(dir, "out")).WantCode(t, 6)
	if !strings.Contains(r.Both(), "the log ends here, without ]") {
		t.Errorf("it is not said where the log is cut:\n%s", r.Both())
	}
}
