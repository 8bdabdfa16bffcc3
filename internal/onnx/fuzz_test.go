package onnx_test

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/onnx"
)

// messageField appends a field of bytes to a message.
func messageField(message []byte, number int, data []byte) []byte {
	message = binary.AppendUvarint(message, uint64(number)<<3|2)
	message = binary.AppendUvarint(message, uint64(len(data)))
	return append(message, data...)
}

func number(message []byte, n int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(message, uint64(n)<<3), v)
}

func encode(m onnx.Model) []byte {
	data := number(nil, 1, uint64(m.IRVersion))
	data = messageField(data, 2, []byte(m.Producer))
	data = messageField(data, 7, encodeGraph(m))
	for key, value := range m.Metadata {
		data = messageField(data, 14, messageField(messageField(nil, 1, []byte(key)), 2, []byte(value)))
	}
	return messageField(data, 8, number(messageField(nil, 1, nil), 2, uint64(m.Opset)))
}

func encodeGraph(m onnx.Model) []byte {
	var graph []byte
	for _, name := range m.External {
		entry := messageField(messageField(nil, 1, []byte("location")), 2, []byte(name))
		graph = messageField(graph, 5, messageField(messageField(nil, 8, []byte("weight "+name)), 13, entry))
	}
	for _, v := range m.Inputs {
		graph = messageField(graph, 11, encodeValue(v))
	}
	for _, v := range m.Outputs {
		graph = messageField(graph, 12, encodeValue(v))
	}
	return graph
}

func encodeValue(v onnx.Value) []byte {
	tensor := number(nil, 1, uint64(v.Elem))
	if v.Ranked {
		var shape []byte
		for _, d := range v.Dims {
			dim := messageField(nil, 2, []byte(d.Name))
			if d.Size >= 0 {
				dim = number(nil, 1, uint64(d.Size))
			}
			shape = messageField(shape, 1, dim)
		}
		tensor = messageField(tensor, 2, shape)
	}
	return messageField(messageField(nil, 1, []byte(v.Name)), 2, messageField(nil, 1, tensor))
}

// FuzzRoundTrip writes a signature as a model and reads it back.
func FuzzRoundTrip(f *testing.F) {
	f.Add("x", "n", int64(3), int32(1), uint8(2), "weights.bin")
	f.Add("", "", int64(0), int32(0), uint8(0), "")
	f.Fuzz(func(t *testing.T, name, dim string, size int64, elem int32, rank uint8, external string) {
		v := onnx.Value{Name: name, Elem: max(elem, 0), Ranked: rank%2 == 0}
		if v.Ranked && rank > 0 {
			v.Dims = []onnx.Dim{{Size: -1, Name: dim}, {Size: max(size, 0)}}
		}
		want := onnx.Model{IRVersion: 8, Opset: 17, Producer: dim, Inputs: []onnx.Value{v}, Outputs: []onnx.Value{v, v}}
		if external != "" {
			want.Metadata = map[string]string{external: name, name: dim}
		}
		if external != "" && "weight "+external != name {
			want.External = []string{external}
		}
		got, err := read(encode(want))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("Read = %+v, %v\nwant   %+v", got, err, want)
		}
	})
}

// FuzzRead gives any bytes: an error of the two kinds, or a model that keeps its promises.
func FuzzRead(f *testing.F) {
	models, err := filepath.Glob("../../backends/ort/testdata/*.onnx")
	if err != nil || len(models) == 0 {
		f.Fatal("no models in testdata", err)
	}
	for _, path := range models {
		f.Add(readFile(f, strings.TrimSuffix(filepath.Base(path), ".onnx")))
	}
	f.Add([]byte("\x08\x08\x3a\x02\x5a\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := read(data)
		if err != nil {
			if !errors.Is(err, onnx.ErrNotONNX) && !errors.Is(err, onnx.ErrDamaged) {
				t.Errorf("error %v of neither kind", err)
			}
			return
		}
		for _, v := range slices.Concat(m.Inputs, m.Outputs) {
			if !v.Ranked && len(v.Dims) > 0 {
				t.Errorf("%+v has dimensions and no rank", v)
			}
			for _, d := range v.Dims {
				if d.Size < -1 {
					t.Errorf("%+v has a dimension below -1", v)
				}
			}
		}
		if again, err := read(data); err != nil || !reflect.DeepEqual(m, again) {
			t.Errorf("read again: %+v, %v", again, err)
		}
	})
}
