package resnet50

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

func TestCalibration(t *testing.T) {
	in, list := t.TempDir(), filepath.Join(t.TempDir(), "list.txt")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(in, "val_map.txt"), "a.JPEG 3\nsub/b.JPEG 4\nc.JPEG 5\n")
	for _, name := range []string{"a.JPEG", "sub/b.JPEG", "c.JPEG"} {
		write(filepath.Join(in, filepath.FromSlash(name)), "picture "+name)
	}
	cut := func(text string) (string, string, error) {
		write(list, text)
		out := t.TempDir()
		done, err := exportCalibration(context.Background(), sdk.DatasetRequest{
			Input: in, Output: out, Params: map[string]string{listParam: list},
		}, func(string) {})
		return out, done, err
	}
	out, done, err := cut("c.JPEG\r\n\nsub/b.JPEG\n")
	if err != nil || !strings.Contains(done, "2 of 3 pictures") {
		t.Fatalf("%q, %v", done, err)
	}
	for name, want := range map[string]string{
		"val_map.txt": "c.JPEG 5\nsub/b.JPEG 4\n", "sub/b.JPEG": "picture sub/b.JPEG", "c.JPEG": "picture c.JPEG",
	} {
		if text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name))); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	for text, want := range map[string]string{
		"d.JPEG\ne.JPEG\n": "d.JPEG is not in", "": "names no picture", "a.JPEG\na.JPEG\n": "twice",
	} {
		if _, _, err := cut(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if _, err := readPictureList(""); err == nil || !strings.Contains(err.Error(), "--param list=FILE") {
		t.Errorf("no list: %v", err)
	}
}
