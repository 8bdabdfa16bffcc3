package shell

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

func TestCacheDir(t *testing.T) {
	cases := []struct {
		env  map[string]string
		want string
	}{
		{map[string]string{"PLUMBLINE_CACHE": "/a", "XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/a"},
		{map[string]string{"XDG_CACHE_HOME": "/b", "HOME": "/c"}, "/b/plumbline"},
		{map[string]string{"XDG_CACHE_HOME": "relative", "HOME": "/c"}, "/c/.cache/plumbline"},
		{map[string]string{"HOME": "/c"}, "/c/.cache/plumbline"},
		{nil, ""},
	}
	for _, c := range cases {
		got, err := CacheDir(func(key string) string { return c.env[key] })
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%v: %q, %v; want %q", c.env, got, err, c.want)
		}
	}
}

func TestCachedFiles(t *testing.T) {
	dir := t.TempDir()
	c, err := fetch.Open(dir, fetch.Options{Offline: true})
	if err != nil {
		t.Fatal(err)
	}
	files, m := CachedFiles{t.Context(), c}, sdk.ModelInfo{Name: "resnet50"}
	f := sdk.ModelFile{Name: "resnet50_v1.onnx", URL: "http://example.org/x"}
	if _, err := files.Locate(m, f); exitcode.Of(err) != exitcode.Data ||
		!strings.Contains(err.Error(), "harness fetch resnet50") {
		t.Errorf("before it is fetched: %v", err)
	}
	want := filepath.Join(dir, "models", "resnet50", "resnet50_v1.onnx")
	if err := os.MkdirAll(filepath.Dir(want), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(want, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := files.Locate(m, f); got != want || err != nil {
		t.Errorf("placed by hand: %s, %v; want %s", got, err, want)
	}
	f.SHA256 = strings.Repeat("0", 64)
	if _, err := files.Locate(m, f); !errors.Is(err, fetch.ErrChecksum) {
		t.Errorf("with other contents: %v", err)
	}
	if _, err := files.Locate(m, sdk.ModelFile{Name: "y", Note: "ask its owner"}); !errors.Is(err, fetch.ErrMissing) ||
		!strings.Contains(err.Error(), "ask its owner") {
		t.Errorf("without an address: %v", err)
	}
}

func TestCachedArchive(t *testing.T) {
	got := CachedArchive(sdk.DatasetInfo{Name: "coco"}, sdk.ArchiveFile{
		Name: "val.zip", URL: "http://example.org/val.zip", Size: 3, Unpack: true,
	})
	if want := (fetch.File{
		Name: "datasets/coco/val.zip", URL: "http://example.org/val.zip", Size: 3, Unpack: true,
	}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
