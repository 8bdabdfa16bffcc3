package ort

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort/ortlib"
)

func TestCheckVersion(t *testing.T) {
	for version, good := range map[string]bool{
		"1.24.0": true, "1.28.2": true, "1.24": true, "2.0.0": true, "1.100.1": true,
		"1.23.2": false, "0.99.0": false, "": false, "1": false, "one.two": false, "1.x.0": false,
	} {
		err := checkVersion(library{path: "/opt/libonnxruntime.so", version: version})
		if good != (err == nil) {
			t.Errorf("version %q: error %v", version, err)
		}
		if err != nil && (!errors.Is(err, ErrLibrary) ||
			!strings.Contains(err.Error(), `is version "`+version+`", want 1.24 or later`)) {
			t.Errorf("version %q: error %v", version, err)
		}
	}
}

func TestProbe(t *testing.T) {
	path, err := ortlib.FindLibrary(context.Background(), runtime.GOOS, runtime.GOARCH)
	if errors.Is(err, ortlib.ErrPlatform) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	lib, err := probeLibrary(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(lib.version, "1.") || !slices.Contains(lib.providers, "CPUExecutionProvider") ||
		!strings.HasPrefix(strings.Join(lib.deviceNames(), " "), "cpu") {
		t.Errorf("library is %+v", lib)
	}
}

func TestProbeRefuses(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.so")
	if err := os.WriteFile(text, []byte("not a library"), 0o644); err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{text: text, filepath.Join(dir, "none.so"): "none.so"}
	if runtime.GOOS == "linux" {
		cases["libc.so.6"] = "OrtGetApiBase"
	}
	if foreign := foreignLibrary(t); foreign != "" {
		cases[foreign] = foreign
	}
	for path, want := range cases {
		_, err := probeLibrary(path)
		if !errors.Is(err, ErrLibrary) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", path, err, want)
		}
	}
}

// foreignLibrary is a library for another processor.
func foreignLibrary(t *testing.T) string {
	arch := "arm64"
	if runtime.GOARCH == arch {
		arch = "amd64"
	}
	path, err := ortlib.FindLibrary(context.Background(), "linux", arch)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestDevicesAreThoseThatARunCanName checks that providers that the binding cannot add are not listed.
func TestDevicesAreThoseThatARunCanName(t *testing.T) {
	l := library{providers: []string{"DnnlExecutionProvider", "AzureExecutionProvider", "CPUExecutionProvider", "Odd"}}
	names := l.deviceNames()
	if len(names) != 2 || names[0] != "dnnl" || !strings.HasPrefix(names[1], "cpu") {
		t.Errorf("devices %v, want dnnl and the CPU", names)
	}
	for _, name := range names {
		if _, err := parseDevice(name); err != nil {
			t.Errorf("a device that is listed cannot be named: %v", err)
		}
	}
}

// TestDescribeWithoutLibrary checks the description without a valid library: the known facts and the reason.
func TestDescribeWithoutLibrary(t *testing.T) {
	info := library{}.describeLibrary()
	if info.Version != "ONNX Runtime" || len(info.Devices) != 0 || len(info.Details) != 0 || len(info.Options) == 0 {
		t.Errorf("info is %+v", info)
	}
	if _, err := findLibrary("nowhere.so"); !errors.Is(err, ErrLibrary) ||
		!strings.Contains(err.Error(), "no file nowhere.so") {
		t.Errorf("error %v", err)
	}
}
