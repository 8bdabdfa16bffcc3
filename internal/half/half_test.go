package half

import (
	"math"
	"testing"
)

func TestRound(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, tt := range []struct {
		f       Format
		v, want float32
	}{
		{Float32, 0.1, 0.1},
		{Float16, 0.1, 0.099975586}, {Float16, -1, -1}, {Float16, 65504, 65504}, {Float16, 65519.996, 65504},
		{Float16, 65520, inf}, {Float16, -65520, -inf}, {Float16, inf, inf},
		{Float16, 2049, 2048}, {Float16, 2051, 2052}, // halves to the even one
		{Float16, 0x1p-24, 0x1p-24}, {Float16, 0x1p-25, 0}, {Float16, 0x1.8p-24, 0x1p-23},
		{Float16, 0x1.ff8p-15, 0x1.ff8p-15}, {Float16, 0x1.ffcp-15, 0x1p-14},
		{BFloat16, 0.1, 0.100097656}, {BFloat16, 257, 256}, {BFloat16, 259, 260}, {BFloat16, 3.4e38, inf},
	} {
		if got := tt.f.Round(tt.v); got != tt.want {
			t.Errorf("format %d: %v becomes %v, want %v", tt.f, tt.v, got, tt.want)
		}
	}
	for _, f := range []Format{Float16, BFloat16} {
		if got := f.Round(float32(math.NaN())); got == got {
			t.Errorf("format %d: what is no number becomes %v", f, got)
		}
	}
}

// TestEncode takes all 65,536 numbers of both formats there and back.
func TestEncode(t *testing.T) {
	for _, f := range []Format{Float16, BFloat16} {
		for bits := range 1 << 16 {
			data := []byte{byte(bits), byte(bits >> 8)}
			var v [1]float32
			f.Decode(v[:], data)
			if v[0] != v[0] {
				continue
			}
			var again [2]byte
			if f.Encode(again[:], v[:]); again != [2]byte(data) {
				t.Fatalf("format %d: %#x becomes %v and % x", f, bits, v[0], again)
			}
		}
	}
}

// TestToFloat16RoundsOnce: a float64 that float32 would round to the middle between two float16 first.
func TestToFloat16RoundsOnce(t *testing.T) {
	for _, c := range []struct {
		v    float64
		want uint16
	}{
		{1, 0x3c00}, {1 + 0x1p-11, 0x3c00}, {1 + 0x1p-11 + 0x1p-40, 0x3c01}, {1 + 3*0x1p-11 - 0x1p-40, 0x3c01},
		{-1 - 0x1p-11 - 0x1p-40, 0xbc01}, {1e300, 0x7c00}, {-1e300, 0xfc00}, {1e-300, 0}, {0x1p-25 + 0x1p-60, 1},
		{0x1p-25, 0},
		{65519.9999999, 0x7bff}, {65520, 0x7c00}, {math.Copysign(0, -1), 0x8000}, {math.NaN(), 0x7e00},
	} {
		if got := ToFloat16(c.v); got != c.want {
			t.Errorf("%v is %#04x, want %#04x", c.v, got, c.want)
		}
	}
}
