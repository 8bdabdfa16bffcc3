package image

import (
	"errors"
	"slices"
	"testing"
)

// FuzzDecode shows that any data give either a consistent picture or an error of a known kind.
func FuzzDecode(f *testing.F) {
	for _, data := range readZoo(f).files {
		f.Add(data)
	}
	f.Add([]byte(nil))
	for _, header := range []func(w, h int) []byte{jpegHeader, pngHeader, bmpHeader} {
		f.Add(header(20000, 20000))
		f.Add(header(9, 9))
	}
	kinds := []error{ErrEmpty, ErrFormat, ErrUnsupported, ErrDamaged, ErrTooLarge}
	f.Fuzz(func(t *testing.T, data []byte) {
		o := DecodeOptions{MaxPixels: 1 << 16}
		img, err := Decode(data, o)
		if err != nil {
			if !slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) }) {
				t.Fatalf("error of no known kind: %v", err)
			}
			return
		}
		if img.W <= 0 || img.H <= 0 || len(img.Pix) != channels*img.W*img.H || img.W*img.H > o.MaxPixels {
			t.Fatalf("%d bytes for %dx%d", len(img.Pix), img.W, img.H)
		}
		r := Vgg(16, NCHW)
		part, whole := make([]float32, r.Len()), make([]float32, r.Len())
		if err := r.FromBytes(part, data, o); err != nil {
			t.Fatal(err)
		}
		if err := r.Apply(whole, img); err != nil || !slices.Equal(part, whole) {
			t.Fatalf("FromBytes differs from Decode and Apply (%v)", err)
		}
	})
}

// FuzzResize shows that no filter leaves the range of the samples that it mixes, but for the cubic one, whose weights
// may be negative, and that sources are only read.
func FuzzResize(f *testing.F) {
	f.Add(uint8(50), uint8(40), uint8(22), uint8(22), uint32(1), uint8(0), uint8(255))
	f.Add(uint8(1), uint8(1), uint8(100), uint8(3), uint32(2), uint8(7), uint8(7))
	f.Add(uint8(64), uint8(64), uint8(32), uint8(16), uint32(3), uint8(100), uint8(150))
	f.Fuzz(func(t *testing.T, sw, sh, w, h uint8, seed uint32, low, high uint8) {
		if sw == 0 || sh == 0 || w == 0 || h == 0 || low > high {
			return
		}
		src := lcg(int(sw), int(sh), seed)
		for i, v := range src.Pix {
			src.Pix[i] = low + uint8(int(v)*int(high-low)/255)
		}
		before := slices.Clone(src.Pix)
		for _, filter := range []Filter{Area, Linear, PillowBilinear, PillowBicubic} {
			got, err := Resize(src, int(w), int(h), filter)
			if err != nil || got.W != int(w) || got.H != int(h) {
				t.Fatalf("%v to %dx%d: %v", filter, w, h, err)
			}
			l, u := slices.Min(got.Pix), slices.Max(got.Pix)
			if filter != PillowBicubic && (l < slices.Min(before) || u > slices.Max(before)) {
				t.Fatalf("%v: %d..%d from %d..%d", filter, l, u, slices.Min(before), slices.Max(before))
			}
		}
		if !slices.Equal(before, src.Pix) {
			t.Fatal("the source changed")
		}
	})
}
