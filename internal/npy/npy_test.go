package npy

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// file is the beginning of a file of some version.
func file(version byte, text string) []byte {
	b := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', version, 0, byte(len(text)), byte(len(text) >> 8)}
	if version > 1 {
		b = append(b, 0, 0)
	}
	return append(b, text...)
}

func TestReadHeader(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		want Header
	}{
		{"matrix", file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (89, 13), }      \n"),
			Header{"<f4", false, []int{89, 13}, 78}},
		{"vector", file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }\n"),
			Header{"|u1", false, []int{5}, 68}},
		{"scalar", file(2, "{'descr': '<i8', 'fortran_order': True, 'shape': ()}"), Header{"<i8", true, []int{}, 64}},
		{"another order, quotes, Python 2", file(3, `{"shape": (3L, 4L), "fortran_order": True, "descr": "<i4"}`),
			Header{"<i4", true, []int{3, 4}, 70}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := ReadHeader(bytes.NewReader(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			if h.DType != tt.want.DType || h.Fortran != tt.want.Fortran || !slices.Equal(h.Shape, tt.want.Shape) ||
				h.Length != int64(len(tt.data)) {
				t.Errorf("%+v, want %+v", h, tt.want)
			}
		})
	}
}

func TestReadHeaderRefuses(t *testing.T) {
	good := file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (89, 13), }")
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "truncated"},
		{"cut", good[:30], "truncated"},
		{"cut before the length", good[:9], "truncated"},
		{"zip", []byte("PK\x03\x04\x00\x00\x00\x00"), `starts with "PK`},
		{"version 4", file(4, ""), "version 1 to 3"},
		{"long", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "4294967295 bytes"},
		{"records", file(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"), "descr: "},
		{"no shape", file(1, "{'descr': '<f4', 'fortran_order': False}"), "2 keys"},
		{"no bool", file(1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"), "want \"False\""},
		{"negative", file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), "want a number"},
		{"huge", file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"), "out of range"},
		{"unknown key", file(1, "{'x': '<f4', }"), "unknown key"},
		{"open string", file(1, "{'descr"), "closing"},
		{"more", file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x"), "then \" x\""},
		{"no dict", file(1, "[]"), `want "{"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := ReadHeader(bytes.NewReader(tt.data)); !errors.Is(err, ErrFormat) ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestSize(t *testing.T) {
	for want, shape := range map[int64][]int{4: {}, 24: {2, 3}, 0: {0, 1 << 62}, -1: {1 << 40, 1 << 40}} {
		if got := (&Header{Shape: shape}).DataSize(4); got != want {
			t.Errorf("%v: %d, want %d", shape, got, want)
		}
	}
	if text := fmt.Sprint(&Header{DType: "<f4", Fortran: true, Shape: []int{2}}); text != "<f4 [2] in Fortran order" {
		t.Error(text)
	}
}

// FuzzReadHeader checks that no text crashes the reader, and that a header that it accepts says so
// again when it is written.
func FuzzReadHeader(f *testing.F) {
	f.Add("{'descr': '<f4', 'fortran_order': False, 'shape': (89, 13), }")
	f.Add("{'descr': '|u1', 'fortran_order': True, 'shape': (), 'shape': (1,)}")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxText-100 {
			return
		}
		h, err := ReadHeader(bytes.NewReader(file(1, text)))
		if err != nil || strings.ContainsAny(h.DType, `'"`) {
			return
		}
		sizes := strings.ReplaceAll(strings.Trim(fmt.Sprint(h.Shape), "[]"), " ", ", ")
		if len(h.Shape) == 1 {
			sizes += ","
		}
		order := map[bool]string{true: "True", false: "False"}[h.Fortran]
		again, err := ReadHeader(bytes.NewReader(file(1,
			fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s)}", h.DType, order, sizes))))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(h) {
			t.Errorf("%v, %v; want %v", again, err, h)
		}
	})
}

func TestAppendHeader(t *testing.T) {
	for text, shape := range map[string][]int{"(5,)": {5}, "(89, 13)": {89, 13}, "(1, 4, 8, 8)": {1, 4, 8, 8}} {
		data := AppendHeader(nil, "<f4", shape...)
		h, err := ReadHeader(bytes.NewReader(data))
		if err != nil || h.DType != "<f4" || h.Fortran || !slices.Equal(h.Shape, shape) || h.Length != int64(len(data)) ||
			h.Length%64 != 0 || !strings.Contains(string(data), "'shape': "+text) {
			t.Errorf("%v: %q, read as %+v, %v", shape, data, h, err)
		}
	}
}
