package jpeg

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"slices"
	"testing"
)

// encode makes a JPEG of a random smooth picture with the standard library's encoder.
func encode(tb testing.TB, w, h, quality int, seed uint64, grey bool) []byte {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	tint := color.YCbCr{Cb: uint8(r.UintN(256)), Cr: uint8(r.UintN(256))}
	luma, ycc := image.NewGray(image.Rect(0, 0, w, h)),
		image.NewYCbCr(image.Rect(0, 0, w, h), image.YCbCrSubsampleRatio420)
	for i := range luma.Pix {
		luma.Pix[i] = uint8(128 + 60*(i%w)/w - 40*(i/w)/h + r.IntN(40))
	}
	copy(ycc.Y, luma.Pix)
	for i := range ycc.Cb {
		ycc.Cb[i], ycc.Cr[i] = tint.Cb, tint.Cr
	}
	var src image.Image = ycc
	if grey {
		src = luma
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, src, &jpeg.Options{Quality: quality}); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func decode(data []byte) (Header, []uint8, error) {
	var d Decoder
	h, err := d.Open(data)
	if err != nil {
		return h, nil, err
	}
	if err := d.CheckLength(); err != nil {
		return h, nil, err
	}
	pix := make([]uint8, 3*h.W*h.H)
	return h, pix, d.Decode(pix, Region{X1: h.W, Y1: h.H})
}

// FuzzAgainstStandardLibrary decodes encoded pictures with image/jpeg too. Its inverse DCT rounds differently, and it
// does not interpolate chroma, so the colour pictures have but one.
func FuzzAgainstStandardLibrary(f *testing.F) {
	f.Add(uint8(30), uint8(20), uint8(90), uint64(1), true)
	f.Add(uint8(17), uint8(33), uint8(50), uint64(2), false)
	f.Add(uint8(1), uint8(1), uint8(100), uint64(3), false)
	f.Fuzz(func(t *testing.T, w, h, quality uint8, seed uint64, grey bool) {
		if w == 0 || h == 0 {
			return
		}
		data := encode(t, int(w), int(h), int(quality), seed, grey)
		want, err := jpeg.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(got); i += 3 {
			r, g, b, _ := want.At(i/3%int(w), i/3/int(w)).RGBA()
			for c, v := range []uint32{r, g, b} {
				if d := int(got[i+c]) - int(v>>8); d > 6 || d < -6 {
					t.Fatalf("pixel %d: %v, image/jpeg %d %d %d", i/3, got[i:i+3], r>>8, g>>8, b>>8)
				}
			}
		}
	})
}

// FuzzDamaged changes bytes of whole files: the result is a picture of the size that image/jpeg sees too, or an error
// of a known kind, and a second decoder with used memory agrees.
func FuzzDamaged(f *testing.F) {
	f.Add(encode(f, 40, 30, 80, 1, true), uint16(300), uint8(1))
	f.Add(encode(f, 33, 17, 90, 2, false), uint16(700), uint8(0x80))
	var used Decoder
	f.Fuzz(func(t *testing.T, data []byte, at uint16, flip uint8) {
		data = slices.Clone(data)
		if len(data) > 0 {
			data[int(at)%len(data)] ^= flip
		}
		if h, err := new(Decoder).Open(data); err == nil && h.W*h.H > 1<<16 {
			return
		}
		h, pix, err := decode(data)
		if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrUnsupported) {
			t.Fatalf("error of no known kind: %v", err)
		}
		h2, err2 := used.Open(data)
		pix2 := make([]uint8, len(pix))
		if err2 == nil && pix != nil {
			if err2 = used.CheckLength(); err2 == nil {
				err2 = used.Decode(pix2, Region{X1: h.W, Y1: h.H})
			}
		}
		if err != nil {
			return
		}
		if err2 != nil || h.W != h2.W || h.H != h2.H || !slices.Equal(pix, pix2) {
			t.Fatalf("a used decoder gives another result (%v)", err2)
		}
		if c, err := jpeg.DecodeConfig(bytes.NewReader(data)); err == nil && (c.Width != h.W || c.Height != h.H) {
			t.Fatalf("%dx%d, image/jpeg %dx%d", h.W, h.H, c.Width, c.Height)
		}
	})
}

// TestRegions shows that a region has the pixels of the whole, and that nothing outside it is written.
func TestRegions(t *testing.T) {
	const w, h, unwritten = 45, 37, 77
	for _, grey := range []bool{true, false} {
		data := encode(t, w, h, 85, 5, grey)
		_, whole, err := decode(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []Region{{0, 0, 1, 1}, {44, 36, 45, 37}, {7, 9, 30, 18}, {16, 16, 32, 32}, {15, 0, 33, 37}} {
			var d Decoder
			if _, err := d.Open(data); err != nil {
				t.Fatal(err)
			}
			pix := slices.Repeat([]uint8{unwritten}, 3*w*h)
			if err := d.Decode(pix, r); err != nil {
				t.Fatal(err)
			}
			for i, v := range pix {
				x, y := i/3%w, i/3/w
				want := uint8(unwritten)
				if x >= r.X0 && x < r.X1 && y >= r.Y0 && y < r.Y1 {
					want = whole[i]
				}
				if v != want {
					t.Fatalf("grey %v, region %v: pixel %d,%d is %d, want %d", grey, r, x, y, v, want)
				}
			}
		}
	}
}

func TestBadRegion(t *testing.T) {
	data := encode(t, 20, 10, 80, 1, true)
	for _, r := range []Region{{}, {-1, 0, 5, 5}, {0, 0, 21, 10}, {0, 0, 20, 11}, {5, 5, 5, 6}, {5, 5, 4, 6}} {
		var d Decoder
		if _, err := d.Open(data); err != nil {
			t.Fatal(err)
		}
		if err := d.Decode(make([]uint8, 600), r); err == nil {
			t.Errorf("region %v of 20x10: no error", r)
		}
	}
}

func TestDamagedMarkers(t *testing.T) {
	good := encode(t, 20, 10, 80, 1, true)
	segment := func(marker byte) int { return bytes.Index(good, []byte{0xff, marker}) }
	change := func(at int, v byte) []byte {
		data := slices.Clone(good)
		data[at] = v
		return data
	}
	frame, scan, quant := segment(markerSOF0), segment(markerSOS), segment(markerDQT)
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"no start", good[2:], ErrDamaged},
		{"no frame", slices.Delete(slices.Clone(good), frame, frame+13), ErrDamaged},
		{"two frames", slices.Insert(slices.Clone(good), frame, good[frame:frame+13]...), ErrDamaged},
		{"frame too long", change(frame+3, 12), ErrDamaged},
		{"component sampling 0", change(frame+11, 0x10), ErrDamaged},
		{"component sampling 5", change(frame+11, 0x51), ErrDamaged},
		{"two components", change(frame+9, 2), ErrDamaged},
		{"quantisation table missing", change(frame+12, 3), ErrDamaged},
		{"quantisation table 4", change(frame+12, 4), ErrDamaged},
		{"quantisation table of 3 bytes", change(quant+4, 0x20), ErrDamaged},
		{"scan of another component", change(scan+5, 9), ErrDamaged},
		{"scan of two components", change(scan+4, 2), ErrDamaged},
		{"scan with table 9", change(scan+6, 0x99), ErrDamaged},
		{"scan with missing table", change(scan+6, 0x33), ErrDamaged},
		{"segment beyond the end", append(slices.Clone(good[:scan]), 0xff, 0xfe, 0xff, 0xff, 0), ErrDamaged},
		{"progressive scan out of range", bytes.Replace(good, []byte{0xff, 0xc0}, []byte{0xff, 0xc2}, 1), ErrDamaged},
		{"restart interval of 3 bytes", slices.Insert(slices.Clone(good), scan, 0xff, 0xdd, 0, 5, 0, 0, 1), ErrDamaged},
		{"restart marker missing", slices.Insert(slices.Clone(good), scan, 0xff, 0xdd, 0, 4, 0, 1), ErrDamaged},
		{"hierarchical", slices.Insert(slices.Clone(good), 2, 0xff, 0xde, 0, 2, 0xff, 0xc5, 0, 2), ErrUnsupported},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, _, err := decode(test.data); !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
}
