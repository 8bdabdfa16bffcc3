package accuracy

import (
	"math"
	"strings"
	"testing"
)

var all = DTypeList{UInt8, Int8, Int16, Int32, Int64, Float16, Float32, Float64}

func TestAt(t *testing.T) {
	cases := []struct {
		dtype string
		bytes string
		want  float64
	}{
		{"float32", "\x00\x00\xc0\xbf", -1.5}, {"uint8", "\xff", 255},
		{"float64", "\x00\x00\x00\x00\x00\x00\xf8\x3f", 1.5}, {"int8", "\xff", -1}, {"int16", "\x00\x80", -32768},
		{"int32", "\xfe\xff\xff\xff", -2}, {"int64", "\x00\x00\x00\x00\x01\x00\x00\x00", 1 << 32},
		{"float16", "\x00\xbe", -1.5}, {"float16", "\x01\x00", 0x1p-24}, {"float16", "\xff\x03", 1023 * 0x1p-24},
		{"float16", "\xff\x7b", 65504}, {"float16", "\x00\xfc", math.Inf(-1)},
		{"float16", "\x00\x04", 0x1p-14},
	}
	for _, c := range cases {
		d, err := all.Parse(c.dtype)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.At([]byte("xxxxxxxx"+c.bytes), 8/d.Size()); got != c.want || d.Size() != len(c.bytes) {
			t.Errorf("%v % x: got %v, want %v", d, c.bytes, got, c.want)
		}
	}
}

func TestHalf(t *testing.T) {
	tests := map[uint16]float64{
		0: 0, 1: 0x1p-24, 0x03ff: 1023 * 0x1p-24, 0x0400: 0x1p-14, 0x3c00: 1, 0x3c01: 1 + 0x1p-10, 0xc000: -2, 0x7bff: 65504,
		0x7c00: math.Inf(1), 0xfc00: math.Inf(-1),
	}
	for bits, want := range tests {
		if got := halfValue(bits); got != want {
			t.Errorf("%#04x: %v, want %v", bits, got, want)
		}
	}
	if !math.IsNaN(halfValue(0x7e00)) {
		t.Error("0x7e00 is no NaN")
	}
}

func TestParse(t *testing.T) {
	for _, d := range all {
		if got, err := all.Parse(d.String()); got != d || err != nil {
			t.Errorf("%v: %v, %v", d, got, err)
		}
	}
	if d, err := (DTypeList{Int32, Int8}).Parse(""); d != Int32 || err != nil {
		t.Errorf("empty: %v, %v; want the first", d, err)
	}
	for _, bad := range []string{"float32", "Int8", " int8", "official", "bfloat16"} {
		if _, err := (DTypeList{Int32, Int8}).Parse(bad); err == nil ||
			!strings.Contains(err.Error(), "want one of int32, int8") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if name := DType(42).String(); name != "DType(42)" {
		t.Error(name)
	}
}

func TestResolve(t *testing.T) {
	if d, err := (DTypeList{Float32, Int8}).Resolve(Official); d != Float32 || err != nil {
		t.Errorf("official: %v, %v", d, err)
	}
	if d, err := (DTypeList{Float32, Int8}).Resolve(Int8); d != Int8 || err != nil {
		t.Errorf("int8: %v, %v", d, err)
	}
	for _, bad := range []DType{Int16, 99} {
		if _, err := (DTypeList{Float32, Int8}).Resolve(bad); err == nil {
			t.Errorf("%v passed", bad)
		}
	}
}
