package picture

import (
	"bufio"
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

func encodePNG(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodeJPEG(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// bmpHeader is a BMP of version 3 with 24 bits per pixel, without its pixels.
func bmpHeader(width, height byte) []byte {
	b := make([]byte, 54)
	copy(b, "BM")
	b[14], b[18], b[22], b[26], b[28] = 40, width, height, 1, 24
	return b
}

func TestSize(t *testing.T) {
	upsideDown := bmpHeader(7, 0)
	copy(upsideDown[22:], "\xfd\xff\xff\xff")
	tests := []struct {
		name          string
		data          []byte
		width, height int
		fault         string
	}{
		{"jpeg", encodeJPEG(t, 31, 17), 31, 17, ""},
		{"png", encodePNG(t, 31, 17), 31, 17, ""},
		{"bmp", bmpHeader(7, 3), 7, 3, ""},
		{"bmp from the top", upsideDown, 7, 3, ""},
		{"bmp of OS/2", append([]byte("BM\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x0c"), make([]byte, 40)...), 0, 0,
			"header has 12 bytes"},
		{"fill bytes", []byte("\xff\xd8\xff\xff\xff\xfe\x00\x02\xff\xc2\x00\x0b\x08\x00\x05\x00\x06"), 6, 5, ""},
		{"scan without a frame", []byte("\xff\xd8\xff\xda\x00\x02"), 0, 0, "without a frame header"},
		{"no marker", []byte("\xff\xd8\xff\xe0\x00\x02xx"), 0, 0, "where a marker should be"},
		{"short segment", []byte("\xff\xd8\xff\xe0\x00\x01xx"), 0, 0, "segment of 1 bytes"},
		{"cut in a segment", []byte("\xff\xd8\xff\xe0\x10\x00xx"), 0, 0, "EOF"},
		{"cut png", encodePNG(t, 3, 3)[:20], 0, 0, "EOF"},
		{"wrong chunk", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIDAT\x00\x00\x00\x01\x00\x00\x00\x01"), 0, 0, "IDAT"},
		{"gif", []byte("GIF89a.........."), 0, 0, "want a JPEG, PNG or BMP"},
		{"two bytes", []byte("\xff\xd8"), 0, 0, "want a JPEG, PNG or BMP"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			width, height, err := HeaderSize(bufio.NewReader(bytes.NewReader(tt.data)))
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) {
					t.Fatalf("error %v, want %q", err, tt.fault)
				}
				return
			}
			if err != nil || width != tt.width || height != tt.height {
				t.Errorf("%d x %d, %v; want %d x %d", width, height, err, tt.width, tt.height)
			}
		})
	}
}

// FuzzSize checks that no header crashes the reader, and that it agrees with the standard library on those
// that both accept.
func FuzzSize(f *testing.F) {
	f.Add([]byte("\xff\xd8\xff\xff\xff\xfe\x00\x02\xff\xc2\x00\x0b\x08\x00\x05\x00\x06\x01"))
	f.Add([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01"))
	f.Add(bmpHeader(3, 4))
	f.Fuzz(func(t *testing.T, data []byte) {
		width, height, err := HeaderSize(bufio.NewReader(bytes.NewReader(data)))
		config, _, otherErr := image.DecodeConfig(bytes.NewReader(data))
		if err == nil && otherErr == nil && (config.Width != width || config.Height != height) {
			t.Errorf("%d x %d, the standard library reads %d x %d", width, height, config.Width, config.Height)
		}
	})
}
