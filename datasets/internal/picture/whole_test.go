package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// noise is a picture that hardly compresses.
func noise() *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, 120, 100), palette.Plan9)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
	}
	return img
}

// pictures is one whole file of each format.
func pictures(t *testing.T) map[string][]byte {
	t.Helper()
	var j, g bytes.Buffer
	if err := errors.Join(jpeg.Encode(&j, noise(), nil), gif.Encode(&g, noise(), nil)); err != nil {
		t.Fatal(err)
	}
	bmp := append(bmpHeader(7, 3), make([]byte, 3*24)...)
	bmp[10] = 54
	webp := append([]byte("RIFF\x20\x00\x00\x00WEBPVP8L\x14\x00\x00\x00"), make([]byte, 20)...)
	return map[string][]byte{
		"jpeg": j.Bytes(), "gif": g.Bytes(), "png": encodePNG(t, 90, 80), "bmp": bmp, "webp": webp,
	}
}

// TestWhole: whole files, with and without something behind them, are right; every shorter one is not.
func TestWhole(t *testing.T) {
	for name, file := range pictures(t) {
		if err := errors.Join(CheckWhole(file), CheckWhole(append(slices.Clone(file), "more"...))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		end := len(file) - 1
		if name == "gif" {
			end-- // its trailer does not count
		}
		for n := 12; n <= end; n++ {
			if err := CheckWhole(file[:n]); err == nil {
				t.Errorf("%s: the first %d of %d bytes are taken", name, n, len(file))
			}
		}
	}
}

func TestBroken(t *testing.T) {
	files := pictures(t)
	changed := func(name string, at int, bytes ...byte) []byte {
		file := slices.Clone(files[name])
		copy(file[at:], bytes)
		return file
	}
	j, p := files["jpeg"], files["png"]
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"text behind the header":  {append(slices.Clone(j[:20]), strings.Repeat("text ", 40)...), "where a marker should be"},
		"no scan":                 {[]byte("\xff\xd8\xff\xe0\x00\x04xx\xff\xd9"), "ends before its first scan"},
		"no frame":                {[]byte("\xff\xd8\xff\xda\x00\x02xx\xff\xd9"), "scan before its frame"},
		"short segment":           {[]byte("\xff\xd8\xff\xe0\x00\x01xx\xff\xd9"), "segment of 1 bytes"},
		"ones to the end":         {append(slices.Clone(j[:len(j)/2]), bytes.Repeat([]byte{0xff}, 500)...), "cut short"},
		"a byte of a PNG's IDAT":  {changed("png", len(p)-20, p[len(p)-20]^1), `chunk "IDAT" has the checksum`},
		"a PNG without IDAT":      {append(slices.Clone(p[:33]), p[len(p)-12:]...), "without a chunk IDAT"},
		"a GIF of another block":  {changed("gif", 13+colorTableSize(files["gif"][10]), 'x'), "block of kind 0x78"},
		"a WebP of another chunk": {changed("webp", 12, 'A'), `first chunk is "AP8L"`},
	} {
		if err := CheckWhole(c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// FuzzWhole: what the standard library decodes is whole, but for a JPEG, between whose markers it passes over bytes. No
// file is a panic.
func FuzzWhole(f *testing.F) {
	for _, file := range [][]byte{
		[]byte("\xff\xd8\xff\xda\x00\x02xx\xff\xd9"), []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00123456!\x01\x00,"),
		[]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x00IDAT\x00\x00\x00\x00"), bmpHeader(3, 4),
		[]byte("RIFF\x20\x00\x00\x00WEBPVP8L\x14\x00\x00\x00"),
	} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		err := CheckWhole(file)
		config, _, configErr := image.DecodeConfig(bytes.NewReader(file))
		if err == nil || configErr != nil || config.Width*config.Height > 1<<20 {
			return
		}
		if _, kind, decodeErr := image.Decode(bytes.NewReader(file)); decodeErr == nil && kind != "jpeg" {
			t.Errorf("%v of a picture that the standard library decodes", err)
		}
	})
}

// BenchmarkWhole walks through a JPEG of 50 kB and a PNG.
func BenchmarkWhole(b *testing.B) {
	var j bytes.Buffer
	img := image.NewRGBA(image.Rect(0, 0, 400, 400))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
	}
	if err := jpeg.Encode(&j, img, nil); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(j.Len()))
	for b.Loop() {
		if err := CheckWhole(j.Bytes()); err != nil {
			b.Fatal(err)
		}
	}
}
