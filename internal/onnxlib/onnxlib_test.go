package onnxlib_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/onnxlib"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
)

// put writes files below a new folder.
func put(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, contents := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, contents, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestFind looks in the layouts of package managers, as they are, for each machine.
func TestFind(t *testing.T) {
	intel, arm := onnxfile.Library(t, "linux", "amd64", "1.32.0"), onnxfile.Library(t, "linux", "arm64", "1.32.0")
	mac := onnxfile.Library(t, "darwin", "arm64", "1.32.0")
	other := []byte("not a library at all, though long enough to be looked at for one moment or two, which is enough")
	for name, c := range map[string]struct {
		files        map[string][]byte
		goos, goarch string
		want         onnxlib.Library
	}{
		"wheel": {
			map[string][]byte{
				"onnxruntime/capi/libonnxruntime.so.1.32.0":              intel,
				"onnxruntime/capi/libonnxruntime_providers_shared.so":    other,
				"onnxruntime/capi/onnxruntime_pybind11_state.cpython.so": other,
			}, "linux", "amd64",
			onnxlib.Library{Path: "onnxruntime/capi/libonnxruntime.so.1.32.0", Release: "1.32.0", Variant: "cpu"},
		},
		"wheel for CUDA": {
			map[string][]byte{
				"onnxruntime/capi/libonnxruntime.so.1.32.0":         intel,
				"onnxruntime/capi/libonnxruntime_providers_cuda.so": other,
			}, "linux", "amd64",
			onnxlib.Library{Path: "onnxruntime/capi/libonnxruntime.so.1.32.0", Release: "1.32.0", Variant: "cuda"},
		},
		"jar": {
			map[string][]byte{
				"ai/onnxruntime/native/linux-x64/libonnxruntime.so":     intel,
				"ai/onnxruntime/native/linux-aarch64/libonnxruntime.so": arm,
			}, "linux", "arm64",
			onnxlib.Library{
				Path: "ai/onnxruntime/native/linux-aarch64/libonnxruntime.so", Release: "1.32.0", Variant: "cpu",
			},
		},
		"npm package on macOS": {
			map[string][]byte{
				"package/bin/napi-v6/darwin/arm64/libonnxruntime.1.32.0.dylib": mac,
				"package/bin/napi-v6/linux/x64/libonnxruntime.so.1":            intel,
			}, "darwin", "arm64",
			onnxlib.Library{
				Path: "package/bin/napi-v6/darwin/arm64/libonnxruntime.1.32.0.dylib", Release: "1.32.0", Variant: "cpu",
			},
		},
		"the newest of two": {
			map[string][]byte{
				"a/libonnxruntime.so": onnxfile.Library(t, "linux", "amd64", "1.9.0"), "b/libonnxruntime.so": intel,
			}, "linux", "amd64", onnxlib.Library{Path: "b/libonnxruntime.so", Release: "1.32.0", Variant: "cpu"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := put(t, c.files)
			got, err := onnxlib.FindLibrary(dir, c.goos, c.goarch)
			c.want.Path = filepath.Join(dir, c.want.Path)
			if err != nil || got != c.want {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

// TestFindNothing says what lies there in place of the library.
func TestFindNothing(t *testing.T) {
	intel := onnxfile.Library(t, "linux", "amd64", "1.32.0")
	for want, files := range map[string]map[string][]byte{
		"holds no library of ONNX Runtime (libonnxruntime)": {"README": intel},
		"for linux/arm64: a/libonnxruntime.so: it is for EM_X86_64 (ET_DYN), this machine is EM_AARCH64": {
			"a/libonnxruntime.so": intel,
		},
		"libonnxruntime.so: no shared library":         {"libonnxruntime.so": []byte("a text")},
		"libonnxruntime.so: no shared library: EOF":    {"libonnxruntime.so": nil},
		"libonnxruntime.so.1: it does not say which r": {"libonnxruntime.so.1": onnxfile.Library(t, "linux", "arm64", "")},
	} {
		if _, err := onnxlib.FindLibrary(put(t, files), "linux", "arm64"); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestCopy takes the library and its providers, and nothing else.
func TestCopy(t *testing.T) {
	dir := put(t, map[string][]byte{
		"libonnxruntime.so.1": []byte("a"), "libonnxruntime_providers_cuda.so": []byte("b"), "state.so": []byte("c"),
	})
	to := t.TempDir()
	if err := onnxlib.CopyLibrary(filepath.Join(dir, "libonnxruntime.so.1"), to); err != nil {
		t.Fatal(err)
	}
	got, err := filepath.Glob(filepath.Join(to, "*"))
	if err != nil || len(got) != 2 {
		t.Errorf("%q, %v, want the library and its provider", got, err)
	}
}

// FuzzFind reads libraries that are spoiled at any place.
func FuzzFind(f *testing.F) {
	for _, goos := range []string{"linux", "darwin"} {
		f.Add(onnxfile.Library(f, goos, "arm64", "1.32.0"))
	}
	f.Fuzz(func(t *testing.T, contents []byte) {
		dir := put(t, map[string][]byte{"libonnxruntime.so": contents, "libonnxruntime.1.2.3.dylib": contents})
		for _, goos := range []string{"linux", "darwin"} {
			if l, err := onnxlib.FindLibrary(dir, goos, "arm64"); err == nil && l.Release == "" {
				t.Errorf("%+v is without a release", l)
			}
		}
	})
}
