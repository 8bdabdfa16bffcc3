package pickle

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func everything() any {
	return &List{[]any{
		Dict{"a": nil, "b": true, "c": false, "d": int64(-1 << 62), "e": 2.5, "f": "grün", "g": []byte{0, 255}},
		Tuple(nil), Tuple{int64(1), &List{nil}},
		&NumpyArray{DType: "<f4", Shape: []int{2, 1}, Data: []byte{0, 0, 128, 63, 0, 0, 0, 64}},
		&NumpyArray{DType: "|u1", Shape: []int{0}, Data: []byte{}},
		&NumpyArray{DType: ">i2", Shape: []int{1, 2}, Fortran: true, Data: []byte{0, 1, 2, 3}},
	}}
}

func TestWrite(t *testing.T) {
	data, err := Write(everything())
	if err != nil {
		t.Fatal(err)
	}
	got, err := NumPy().Load(data)
	if err != nil || !reflect.DeepEqual(got, everything()) {
		t.Errorf("read back as %#v, %v", got, err)
	}
	for _, v := range []any{1, &List{[]any{struct{}{}}}, &NumpyArray{DType: "<f4", Data: make([]byte, 4)}} {
		if _, err := Write(v); !errors.Is(err, ErrFormat) {
			t.Errorf("%#v: %v", v, err)
		}
	}
}

// TestEach reads pickles item by item, and keeps of the memo only what is used again.
func TestEach(t *testing.T) {
	data, err := Write(everything())
	if err != nil {
		t.Fatal(err)
	}
	// [ 1, ("x",) remembered, the same again, [2] ], one by one and together
	shared := []byte("\x80\x04]\x94(K\x01\x8c\x01x\x94\x85\x94h\x02e]\x94K\x02aa.")
	for name, c := range map[string]struct {
		data []byte
		want []any
	}{
		"written": {data, everything().(*List).Items},
		"shared":  {shared, []any{int64(1), Tuple{"x"}, Tuple{"x"}, &List{[]any{int64(2)}}}},
	} {
		var got []any
		r := NumPy()
		r.Each = func(i int, item any) error {
			if i != len(got) {
				t.Errorf("%s: item %d, want %d", name, i, len(got))
			}
			got = append(got, item)
			return nil
		}
		if rest, err := r.Load(c.data); err != nil || len(rest.(*List).Items) != 0 || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %#v, %#v, %v", name, got, rest, err)
		}
	}
	r := NumPy()
	r.Each = func(i int, _ any) error { return fmt.Errorf("item %d is bad", i) }
	if _, err := r.Load(data); err == nil || !strings.Contains(err.Error(), "item 0 is bad") {
		t.Error(err)
	}
}

func TestFloats(t *testing.T) {
	for _, c := range []struct {
		v    any
		want []float64
	}{
		{Tuple{1.5, int64(2)}, []float64{1.5, 2}},
		{&NumpyArray{DType: "<f4", Shape: []int{1}, Data: []byte{0, 0, 192, 63}}, []float64{1.5}},
		{&NumpyArray{DType: ">f8", Shape: []int{1}, Data: []byte{0x3f, 0xf8, 0, 0, 0, 0, 0, 0}}, []float64{1.5}},
		{&NumpyArray{DType: "<i2", Shape: []int{2}, Data: []byte{1, 0, 255, 255}}, []float64{1, -1}},
		{&NumpyArray{DType: "<f2", Shape: []int{1}, Data: []byte{1, 0}}, nil},
		{&NumpyArray{DType: "<U1", Shape: []int{1}, Data: []byte{65, 0, 0, 0}}, nil},
		{&NumpyArray{DType: "<f4", Shape: []int{2}, Data: []byte{0, 0, 192, 63}}, nil},
		{"1.5", nil},
	} {
		if got, err := AsFloats(c.v); !reflect.DeepEqual(got, c.want) || (err == nil) != (c.want != nil) {
			t.Errorf("%#v: %v, %v, want %v", c.v, got, err, c.want)
		}
	}
}
