package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"runtime"
	"strings"
	"testing"
)

// jpegHeader is a JPEG of the given size up to and with its start of frame.
func jpegHeader(w, h int) []byte {
	b := []byte{0xff, 0xd8, 0xff, 0xc0, 0, 11, 8}
	b = binary.BigEndian.AppendUint16(b, uint16(h))
	b = binary.BigEndian.AppendUint16(b, uint16(w))
	return append(b, 1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0)
}

// pngHeader is a PNG of the given size up to its pixels.
func pngHeader(w, h int) []byte {
	body := []byte("IHDR")
	body = binary.BigEndian.AppendUint32(body, uint32(w))
	body = binary.BigEndian.AppendUint32(body, uint32(h))
	body = append(body, 8, 2, 0, 0, 0)
	b := binary.BigEndian.AppendUint32(bytes.Clone(pngMagic), uint32(len(body)-4))
	b = append(b, body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(body))
}

// bmpHeader is a 24-bit BMP of the given size up to its pixels.
func bmpHeader(w, h int) []byte {
	b := append([]byte("BM"), make([]byte, 52)...)
	le := binary.LittleEndian
	le.PutUint32(b[10:], 54)
	le.PutUint32(b[14:], 40)
	le.PutUint32(b[18:], uint32(w))
	le.PutUint32(b[22:], uint32(h))
	le.PutUint16(b[26:], 1)
	le.PutUint16(b[28:], 24)
	return b
}

func TestPixelLimit(t *testing.T) {
	for name, header := range map[string]func(w, h int) []byte{"jpeg": jpegHeader, "png": pngHeader, "bmp": bmpHeader} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode(header(20000, 20000), DecodeOptions{})
			if !errors.Is(err, ErrTooLarge) {
				t.Fatalf("20000x20000: %v, want ErrTooLarge", err)
			}
			for _, part := range []string{"20000x20000", "400000000", "67108864", "MaxPixels"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %s", err, part)
				}
			}
			if _, err := Decode(header(11, 10), DecodeOptions{MaxPixels: 109}); !errors.Is(err, ErrTooLarge) {
				t.Errorf("11x10 with a limit of 109: %v, want ErrTooLarge", err)
			}
			if _, err := Decode(header(11, 10), DecodeOptions{MaxPixels: 110}); !errors.Is(err, ErrDamaged) {
				t.Errorf("11x10 without pixels: %v, want ErrDamaged", err)
			}
		})
	}
}

// TestNoMemoryForMissingPixels shows that a header alone does not make Decode take the picture's memory.
func TestNoMemoryForMissingPixels(t *testing.T) {
	for name, data := range map[string][]byte{"jpeg": jpegHeader(8000, 8000), "bmp": bmpHeader(8000, 8000)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(data, DecodeOptions{})
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, ErrDamaged) || taken > 1<<20 {
			t.Errorf("%s: %d bytes for an 8000x8000 header, error %v", name, taken, err)
		}
	}
}

func TestTruncated(t *testing.T) {
	z := readZoo(t)
	for _, name := range []string{"7x9_420_p0_r0_q90.jpg", "17x15_444_p0_r2_q30.jpg", "7x9_420_p1_r0_q75.jpg", "rgb.png",
		"palette4.png", "rgb.bmp", "palette8.bmp", "rle8.bmp"} {
		t.Run(name, func(t *testing.T) {
			data := z.files[name]
			whole := len(data)
			if strings.HasSuffix(name, ".jpg") && !strings.Contains(name, "p1") {
				whole -= 2 // a sequential JPEG is whole without its end marker
			}
			if strings.HasPrefix(name, "rle") {
				whole -= 2 // and run-length codes without theirs
			}
			for n := range whole {
				if img, err := Decode(data[:n], DecodeOptions{}); err == nil {
					t.Fatalf("%d of %d bytes gave %dx%d pixels", n, len(data), img.W, img.H)
				}
			}
		})
	}
}

func TestNotPictures(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"nil", nil, ErrEmpty},
		{"empty", []byte{}, ErrEmpty},
		{"text", []byte("not a picture at all"), ErrFormat},
		{"one byte", []byte{0xff}, ErrFormat},
		{"gif", []byte("GIF89a\x01\x00\x01\x00"), ErrFormat},
		{"jpeg start only", []byte{0xff, 0xd8, 0xff}, ErrDamaged},
		{"jpeg no pixels", jpegHeader(0, 5), ErrDamaged},
		{"jpeg arithmetic", bytes.Replace(jpegHeader(8, 8), []byte{0xff, 0xc0}, []byte{0xff, 0xc9}, 1), ErrUnsupported},
		{"jpeg lossless", bytes.Replace(jpegHeader(8, 8), []byte{0xff, 0xc0}, []byte{0xff, 0xc3}, 1), ErrUnsupported},
		{"jpeg 12 bits", bytes.Replace(jpegHeader(8, 8), []byte{0, 11, 8}, []byte{0, 11, 12}, 1), ErrUnsupported},
		{"png start only", pngMagic, ErrDamaged},
		{"png no pixels", pngHeader(0, 5), ErrDamaged},
		{"bmp start only", []byte("BM"), ErrDamaged},
		{"bmp no pixels", bmpHeader(5, 0), ErrDamaged},
		{"bmp negative width", bmpHeader(-5, 5), ErrDamaged},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			img, err := Decode(test.data, DecodeOptions{})
			if !errors.Is(err, test.want) || img != nil {
				t.Errorf("%v, %v, want %v", img, err, test.want)
			}
		})
	}
}

func TestRecipeMisuse(t *testing.T) {
	r := Vgg(224, NCHW)
	good := lcg(30, 20, 1)
	tests := []struct {
		name   string
		recipe Recipe
		length int
		img    *RGB
		want   error
	}{
		{"zero recipe", Recipe{}, 0, good, ErrBadRecipe},
		{"no size", Vgg(0, NCHW), 0, good, ErrBadRecipe},
		{"negative size", ImagenetPytorch(-3, NHWC), 27, good, ErrBadRecipe},
		{"short buffer", r, r.Len() - 1, good, ErrBuffer},
		{"long buffer", r, r.Len() + 1, good, ErrBuffer},
		{"nil picture", r, r.Len(), nil, ErrBadPicture},
		{"empty picture", r, r.Len(), &RGB{}, ErrBadPicture},
		{"short picture", r, r.Len(), &RGB{W: 30, H: 20, Pix: good.Pix[1:]}, ErrBadPicture},
		{"impossible picture", r, r.Len(), &RGB{W: math.MaxInt / 2, H: 4, Pix: good.Pix}, ErrBadPicture},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := test.recipe.Apply(make([]float32, test.length), test.img); !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
	if _, err := Resize(good, 0, 5, Area); !errors.Is(err, ErrBadPicture) {
		t.Errorf("resize to 0x5: %v, want ErrBadPicture", err)
	}
}
