package onnx_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/plumbline-ml/plumbline/internal/onnx"
)

func readFile(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "backends", "ort", "testdata", name+".onnx"))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func read(data []byte) (onnx.Model, error) {
	return onnx.Read(bytes.NewReader(data), int64(len(data)))
}

func TestRead(t *testing.T) {
	n, s := onnx.Dim{Size: -1, Name: "n"}, onnx.Dim{Size: -1, Name: "s"}
	cases := map[string]onnx.Model{
		"linear": {
			Inputs: []onnx.Value{{Name: "x:0", Elem: 1, Ranked: true, Dims: []onnx.Dim{n, {Size: 3}}}},
			Outputs: []onnx.Value{{Name: "best:0", Elem: 7, Ranked: true, Dims: []onnx.Dim{n}},
				{Name: "y:0", Elem: 1, Ranked: true, Dims: []onnx.Dim{n, {Size: 2}}}},
		},
		"old_style": {
			Inputs:  []onnx.Value{{Name: "x", Elem: 1, Ranked: true, Dims: []onnx.Dim{{Size: -1, Name: "unk__1"}, {Size: 3}}}},
			Outputs: []onnx.Value{{Name: "y", Elem: 1, Ranked: true, Dims: []onnx.Dim{{Size: -1, Name: "unk__2"}, {Size: 2}}}},
		},
		"twice_float16": {
			Inputs:  []onnx.Value{{Name: "x", Elem: 10, Ranked: true, Dims: []onnx.Dim{n, s}}},
			Outputs: []onnx.Value{{Name: "y", Elem: 10, Ranked: true, Dims: []onnx.Dim{n, s}}},
		},
		"external": {
			Inputs:   []onnx.Value{{Name: "x", Elem: 1, Ranked: true, Dims: []onnx.Dim{n, {Size: 3}}}},
			Outputs:  []onnx.Value{{Name: "y", Elem: 1, Ranked: true, Dims: []onnx.Dim{n, {Size: 2}}}},
			External: []string{"external.data"},
		},
		"scalars": {
			Inputs: []onnx.Value{{Name: "x", Elem: 1, Ranked: true, Dims: []onnx.Dim{n}},
				{Name: "factor", Elem: 1, Ranked: true}},
			Outputs: []onnx.Value{{Name: "sum", Elem: 1, Ranked: true}, {Name: "count", Elem: 7, Ranked: true}},
		},
		"unranked": {
			Inputs:  []onnx.Value{{Name: "x", Elem: 1, Ranked: true, Dims: []onnx.Dim{n, {Size: 3}}}},
			Outputs: []onnx.Value{{Name: "y", Elem: 1}},
		},
	}
	for name, want := range cases {
		t.Run(name, func(t *testing.T) {
			want.IRVersion, want.Opset, want.Producer = 8, 17, "plumbline-testdata"
			if name == "old_style" {
				want.IRVersion, want.Opset = 3, 8
			}
			got, err := read(readFile(t, name))
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("Read = %+v, %v\nwant   %+v", got, err, want)
			}
		})
	}
}

// TestReadTruncated cuts a model at every byte: no cut is taken for a whole model, unless it falls behind the graph.
func TestReadTruncated(t *testing.T) {
	data := readFile(t, "linear")
	graph := len(data) - len("\x42\x04\x0a\x00\x10\x11") // the opset follows it
	for n := range data {
		_, err := read(data[:n])
		if n < graph && !errors.Is(err, onnx.ErrDamaged) && !errors.Is(err, onnx.ErrNotONNX) {
			t.Errorf("cut at %d of %d: error %v", n, len(data), err)
		}
		if n > 2 && errors.Is(err, onnx.ErrNotONNX) {
			t.Errorf("cut at %d of %d: error %v, want %v", n, len(data), err, onnx.ErrDamaged)
		}
	}
}

func TestReadOtherFiles(t *testing.T) {
	cases := map[string]struct {
		data string
		is   error
		want string
	}{
		"empty":   {"", onnx.ErrNotONNX, "empty"},
		"text":    {"hello, world\n", onnx.ErrNotONNX, ""},
		"jpeg":    {"\xff\xd8\xff\xe0\x00\x10JFIF", onnx.ErrNotONNX, ""},
		"zip":     {"PK\x03\x04rest", onnx.ErrNotONNX, "zip"},
		"gzip":    {"\x1f\x8b\x08", onnx.ErrNotONNX, "gzip"},
		"hdf5":    {"\x89HDF\r\n\x1a\n", onnx.ErrNotONNX, "HDF5"},
		"pickle":  {"\x80\x02}q\x00", onnx.ErrNotONNX, "pickle"},
		"tflite":  {"\x1c\x00\x00\x00TFL3", onnx.ErrNotONNX, "TensorFlow Lite"},
		"html":    {"<!DOCTYPE html>", onnx.ErrNotONNX, "web page"},
		"pointer": {"version https://git-lfs.github.com/spec/v1\n", onnx.ErrNotONNX, "Git LFS"},
		"zeros":   {"\x00\x00\x00\x00\x00", onnx.ErrNotONNX, ""},
		"header":  {"\x08\x08", onnx.ErrDamaged, "no graph"},
		"varint":  {"\x08\x08\x10" + strings.Repeat("\xff", 11), onnx.ErrDamaged, "64 bits"},
		"group":   {"\x08\x08\x13", onnx.ErrDamaged, "wire type 3"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := read([]byte(c.data))
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %v with %q", err, c.is, c.want)
			}
		})
	}
}

func TestReadORTFormat(t *testing.T) {
	m, err := read([]byte("\x18\x00\x00\x00ORTM"))
	if err != nil || !m.ORTFormat {
		t.Errorf("Read = %+v, %v", m, err)
	}
}

func TestReadPassesOnReadErrors(t *testing.T) {
	_, err := onnx.Read(failing{}, 100)
	if !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("error %v", err)
	}
}

type failing struct{}

func (failing) ReadAt([]byte, int64) (int, error) { return 0, iotest.ErrTimeout }

// counting counts the bytes read.
type counting struct {
	data []byte
	n    int
}

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	n, err := bytes.NewReader(c.data).ReadAt(p, at)
	c.n += n
	return n, err
}

// TestReadSkipsWeights gives a model with 4 MiB of weights before its inputs.
func TestReadSkipsWeights(t *testing.T) {
	weight := messageField(nil, 9, make([]byte, 4<<20))
	weight = messageField(weight, 8, []byte("w"))
	graph := messageField(nil, 5, weight)
	graph = append(graph, encodeGraph(onnx.Model{
		Inputs: []onnx.Value{{Name: "x", Elem: 1, Ranked: true}, {Name: "w", Elem: 1}},
	})...)
	c := &counting{data: messageField([]byte("\x08\x08"), 7, graph)}
	m, err := onnx.Read(c, int64(len(c.data)))
	if err != nil || len(m.Inputs) != 1 || m.Inputs[0].Name != "x" {
		t.Errorf("Read = %+v, %v", m, err)
	}
	if c.n > 32<<10 {
		t.Errorf("read %d bytes of %d", c.n, len(c.data))
	}
}
