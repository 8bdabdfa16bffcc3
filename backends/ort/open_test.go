package ort_test

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenRefusesFiles(t *testing.T) {
	linear := read(t, file("linear"))
	cases := map[string]struct {
		model backend.Model
		want  string
	}{
		"missing":  {backend.Model{Path: "testdata/none.onnx"}, "testdata/none.onnx: no such file"},
		"folder":   {backend.Model{Path: "testdata"}, "not a file"},
		"empty":    {backend.Model{Path: write(t, "m.onnx", nil)}, "the file is empty"},
		"no bytes": {backend.Model{}, "the file is empty"},
		"truncated": {backend.Model{Path: write(t, "m.onnx", linear[:len(linear)-20])},
			"damaged ONNX model: the file ends too early"},
		"text": {backend.Model{Bytes: []byte("hello, world\n")}, "not an ONNX model"},
		"zip":  {backend.Model{Bytes: []byte("PK\x03\x04\x14\x00\x00\x00")}, "zip archive"},
		"lfs pointer": {backend.Model{Bytes: []byte("version https://git-lfs.github.com/spec/v1\noid ...")},
			"Git LFS pointer"},
		"nonsense inside": {backend.Model{Bytes: swap(linear, "MatMul", "MatMux")}, "MatMux"},
		"external bytes": {backend.Model{Bytes: read(t, file("external"))},
			"keeps its weights in external.data; give the path"},
		"external missing": {backend.Model{Path: write(t, "external.onnx", read(t, file("external")))},
			"external data is missing: "},
		"ort format": {backend.Model{Bytes: []byte("\x18\x00\x00\x00ORTMxxxxxxxxxxxxxxxx")}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := opener(t).Open(t.Context(), c.model, backend.Config{})
			if !errors.Is(err, backend.ErrModel) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestExternalDataOutside checks that a model that names files outside of its folder is rejected before any file is
// read.
func TestExternalDataOutside(t *testing.T) {
	model, weights := read(t, file("external")), read(t, filepath.Join("testdata", "external.data"))
	outside := write(t, "weights", weights)
	const usual = "external.data"
	for name, c := range map[string]struct {
		location string                  // of as many bytes as external.data; empty: that
		place    func(path string) error // puts something else there
		want     string                  // empty: it opens
	}{
		"below":        {"sub//////////", nil, "not a file"},
		"beside":       {"sub/../wx.bin", nil, ""},
		"above":        {"../other.data", nil, `in "../other.data"; want files in its own folder`},
		"above, late":  {"sub/../../w.b", nil, `in "sub/../../w.b"; want`},
		"absolute":     {"/etc/hostname", nil, `in "/etc/hostname"; want`},
		"a device":     {"/dev/zero/./.", nil, `in "/dev/zero`},
		"no file":      {"", func(path string) error { return os.Mkdir(path, 0o755) }, "not a file"},
		"short":        {"", func(path string) error { return os.WriteFile(path, weights[:4], 0o600) }, "m.onnx"},
		"a link":       {"", func(path string) error { return os.Symlink("wx.bin", path) }, ""},
		"a link to":    {"", func(path string) error { return os.Symlink(os.DevNull, path) }, "not a file"},
		"a link above": {"", func(path string) error { return os.Symlink(outside, path) }, "escapes"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "model")
			if err := errors.Join(os.MkdirAll(filepath.Join(dir, "sub"), 0o755),
				os.WriteFile(filepath.Join(dir, "wx.bin"), weights, 0o600),
				os.WriteFile(filepath.Join(dir, "..", "other.data"), weights, 0o600),
				os.WriteFile(filepath.Join(dir, "m.onnx"), swap(model, usual, cmp.Or(c.location, usual)), 0o600),
			); err != nil {
				t.Fatal(err)
			}
			if c.place != nil {
				if err := c.place(filepath.Join(dir, usual)); err != nil {
					t.Skip("this system has no such thing: ", err)
				}
			}
			s, err := opener(t).Open(t.Context(), backend.Model{Path: filepath.Join(dir, "m.onnx")}, backend.Config{})
			if err == nil {
				err = errors.Join(err, s.Close())
			}
			refused := errors.Is(err, backend.ErrModel)
			if c.want == "" && err != nil || c.want != "" && (!refused || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func swap(data []byte, old, new string) []byte {
	return []byte(strings.Replace(string(data), old, new, 1))
}

func TestMissingFileIsNotExist(t *testing.T) {
	_, err := opener(t).Open(t.Context(), backend.Model{Path: "testdata/none.onnx"}, backend.Config{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestOpenListsEveryFault(t *testing.T) {
	_, err := opener(t).Open(t.Context(), backend.Model{
		Name: "linear", Path: file("linear"),
		Inputs:  []backend.TensorInfo{{Name: "x", DType: backend.Float32, Shape: []int64{-1, 3}}},
		Outputs: []backend.TensorInfo{{Name: "best:0", DType: backend.Float32}, {Name: "y:0", Shape: []int64{-1, 5}}},
	}, backend.Config{
		Options: map[string]string{"thread": "1", "inter_op": "0", "opt": "fast", "provider": "abacus", "spin": "maybe",
			"threads": "many", "arena": "2x"},
	})
	for _, class := range []error{backend.ErrTensors, backend.ErrOption} {
		if !errors.Is(err, class) {
			t.Errorf("error %v, want %v", err, class)
		}
	}
	for _, want := range []string{
		`unknown option "thread"; the known ones are threads, inter_op, provider, opt, lib`,
		"option inter_op=0: want a number from 1", "option threads=many", "option arena=2x: want true or false",
		"option opt=fast: want one of all, basic, extended, none", "option provider=abacus: want one of cpu, cuda",
		"option spin=maybe: want one of auto, false, true",
		`input "x" is missing`, `output "best:0" is int64, want float32`, `output "y:0" has shape [N,2], want [N,5]`,
	} {
		if err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("error %v\nlacks %q", err, want)
		}
	}
}

func TestOpenRefusesTensors(t *testing.T) {
	cases := map[string]struct {
		model backend.Model
		want  string
	}{
		"unfilled input": {backend.Model{Path: file("bert_like"), Inputs: []backend.TensorInfo{{Name: "input_ids"}}},
			"inputs that the benchmark does not fill: attention_mask int64[N,N], token_type_ids int64[N,N]"},
		"strings": {backend.Model{Path: file("strings")}, `input "x" is no tensor of numbers`},
		"inferred": {backend.Model{Path: file("unranked"), Outputs: []backend.TensorInfo{{Name: "y", Shape: []int64{-1, 3}}}},
			`output "y" has shape [N,2], want [N,3]`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := opener(t).Open(t.Context(), c.model, backend.Config{})
			if !errors.Is(err, backend.ErrTensors) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestProviderThatTheLibraryLacks(t *testing.T) {
	for _, name := range []string{"cuda", "tensorrt", "openvino", "dnnl", "coreml"} {
		_, err := opener(t).Open(t.Context(), backend.Model{Path: file("linear")},
			backend.Config{Options: map[string]string{"provider": name}})
		if !errors.Is(err, backend.ErrOption) || !strings.Contains(err.Error(), "has only cpu") ||
			!strings.Contains(err.Error(), "option provider="+name) {
			t.Errorf("provider %s: error %v", name, err)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, options := range []map[string]string{
		{"threads": "2", "inter_op": "2", "opt": "none", "spin": "false", "denormal_zero": "true", "arena": "false"},
		{"threads": "auto", "inter_op": "1", "opt": "basic", "spin": "auto", "provider": "cpu"},
		{"opt": "extended", "spin": "true", "config.session.intra_op.allow_spinning": "0"},
	} {
		s := open(t, "linear", backend.Config{Options: options})
		wantTensor(t, run(t, s, floats([]float32{1, 2, 3}, 1, 3))[0], []int64{0}, 1)
	}
}

// TestConfigReachesTheLibrary passes a value that ONNX Runtime rejects, and an option for a provider without options.
func TestConfigReachesTheLibrary(t *testing.T) {
	for _, options := range []map[string]string{{"threads": "2", "config.session.intra_op_thread_affinities": "perhaps"},
		{"provider.device_id": "1"}} {
		if _, err := opener(t).Open(t.Context(), backend.Model{Path: file("linear")},
			backend.Config{Options: options}); err == nil {
			t.Errorf("options %v are accepted", options)
		}
	}
}

func TestLibrary(t *testing.T) {
	good := opener(t)
	open := func(b ort.Backend, lib string) error {
		c := backend.Config{}
		if lib != "" {
			c.Options = map[string]string{"lib": lib}
		}
		s, err := b.Open(t.Context(), backend.Model{Path: file("linear")}, c)
		if err == nil {
			err = s.Close()
		}
		return err
	}
	for name, c := range map[string]struct {
		b    ort.Backend
		lib  string
		want string // "" means that it opens
	}{
		"option wins":    {ort.Backend{Library: "nowhere.so"}, good.Library, ""},
		"folder":         {ort.Backend{Library: filepath.Dir(good.Library)}, "", ""},
		"missing option": {good, "nowhere.so", "no file nowhere.so"},
		"missing folder": {good, t.TempDir(), ort.LibraryName()},
		"missing":        {ort.Backend{}, "", "looked for "},
	} {
		t.Run(name, func(t *testing.T) {
			err := open(c.b, c.lib)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, ort.ErrLibrary) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestSecondLibrary opens another library after one was loaded.
func TestSecondLibrary(t *testing.T) {
	open(t, "linear", backend.Config{})
	other := write(t, "libother.so", []byte("not a library"))
	_, err := ort.Backend{}.Open(t.Context(), backend.Model{Path: file("linear")},
		backend.Config{Options: map[string]string{"lib": other}})
	if !errors.Is(err, ort.ErrLibrary) || !strings.Contains(err.Error(), "is already loaded in this process") {
		t.Errorf("error %v", err)
	}
}

func TestDescribe(t *testing.T) {
	info := opener(t).Describe()
	if !strings.HasPrefix(info.Version, "ONNX Runtime 1.") || info.Devices[0] == "" || info.Details["library"] == "" ||
		info.Details["fault"] != "" {
		t.Errorf("info is %+v", info)
	}
	var names []string
	for _, o := range info.Options {
		names = append(names, o.Name)
		if o.Help == "" {
			t.Errorf("option %s has no help", o.Name)
		}
	}
	if got := strings.Join(names,
		" "); got != "threads inter_op provider opt lib spin denormal_zero arena bind config.KEY provider.KEY" {
		t.Errorf("options are %s", got)
	}
}

func TestSessionDescribes(t *testing.T) {
	s := open(t, "linear", backend.Config{Options: map[string]string{"threads": "2", "opt": "basic"}})
	info := s.(backend.Describer).Describe()
	d := info.Details
	if d["threads"] != "2" || d["opt"] != "basic" || d["provider"] != "cpu" || d["inter_op"] != "1" || d["library"] == "" {
		t.Errorf("details are %v", d)
	}
	// The process uses one library, whichever a Backend names.
	if other := (ort.Backend{Library: "nowhere.so"}).Describe(); other.Details["library"] != d["library"] ||
		other.Version != info.Version {
		t.Errorf("info is %+v", other)
	}
}

func TestOpenWithEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := opener(t).Open(ctx, backend.Model{Path: file("linear")},
		backend.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
