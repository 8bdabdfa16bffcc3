package image

import (
	"encoding/binary"
	"errors"
	"testing"
)

// bmpOf is a BMP with a 40-byte header, behind which follow extra bytes (masks, palette) and the pixels.
func bmpOf(w, h, bits int, compression bmpCompression, extra, pixels []byte) []byte {
	b := bmpHeader(w, h)
	le := binary.LittleEndian
	le.PutUint32(b[10:], uint32(len(b)+len(extra)))
	le.PutUint16(b[28:], uint16(bits))
	le.PutUint32(b[30:], uint32(compression))
	le.PutUint32(b[46:], uint32(len(extra)/4))
	return append(append(b, extra...), pixels...)
}

func TestBMPRuns(t *testing.T) {
	palette := []byte{0, 0, 0, 0, 1, 1, 1, 0, 2, 2, 2, 0, 3, 3, 3, 0} // grey levels 0 to 3
	tests := []struct {
		name   string
		pixels []byte
		want   string // rows from the top, by level; "" for ErrDamaged
	}{
		{"runs", []byte{4, 1, 0, 0, 4, 2, 0, 1}, "2222/1111"},
		{"end of line early", []byte{2, 1, 0, 0, 3, 2, 0, 1}, "2220/1100"},
		{"literal, padded", []byte{0, 3, 1, 2, 3, 0, 1, 1, 0, 0, 0, 1}, "0000/1231"},
		{"delta", []byte{1, 3, 0, 2, 1, 1, 2, 2, 0, 1}, "0022/3000"},
		{"end at once", []byte{0, 1}, "0000/0000"},
		{"run beyond the row", []byte{5, 1, 0, 1}, ""},
		{"literal beyond the data", []byte{0, 4, 1, 2}, ""},
		{"delta beyond the row", []byte{0, 2, 9, 0, 1, 1, 0, 1}, ""},
		{"delta beyond the picture", []byte{0, 2, 0, 9}, "0000/0000"},
		{"no end", []byte{4, 1}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			img, err := Decode(bmpOf(4, 2, 8, bmpRLE8, palette, test.pixels), DecodeOptions{})
			if test.want == "" {
				if !errors.Is(err, ErrDamaged) {
					t.Errorf("%v, want ErrDamaged", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := levelsOf(img); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// levelsOf writes a grey picture of levels below 10 as rows of digits.
func levelsOf(img *RGB) (s string) {
	for i := 0; i < len(img.Pix); i += channels {
		if i > 0 && i/channels%img.W == 0 {
			s += "/"
		}
		s += string(rune('0' + img.Pix[i]))
	}
	return s
}

func TestUncommonBMP(t *testing.T) {
	masks := func(m ...uint32) (b []byte) {
		for _, v := range m {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	shortHeader := bmpOf(1, 1, 24, bmpPlain, nil, make([]byte, 4))
	shortHeader[14] = 20
	longHeader := bmpOf(1, 1, 32, bmpFields, make([]byte, 16), make([]byte, 4))
	longHeader[14] = 56
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"2 bits", bmpOf(1, 1, 2, bmpPlain, nil, make([]byte, 4)), ErrUnsupported},
		{"embedded JPEG", bmpOf(1, 1, 24, 4, nil, make([]byte, 4)), ErrUnsupported},
		{"4-bit runs of 8 bits", bmpOf(1, 1, 8, bmpRLE4, nil, make([]byte, 4)), ErrUnsupported},
		{"header of 20 bytes", shortHeader, ErrUnsupported},
		{"masks of 24 bits", bmpOf(1, 1, 24, bmpFields, masks(1, 2, 4), make([]byte, 4)), ErrUnsupported},
		{"unusual masks of 16 bits", bmpOf(1, 1, 16, bmpFields, masks(0xf00, 0xf0, 0xf), make([]byte, 4)), ErrUnsupported},
		{"empty masks of 32 bits", longHeader, ErrUnsupported},
		{"masks missing", bmpOf(1, 1, 16, bmpFields, nil, nil), ErrDamaged},
		{"palette missing", bmpOf(1, 1, 8, bmpPlain, make([]byte, 8), nil)[:58], ErrDamaged},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Decode(test.data, DecodeOptions{}); !errors.Is(err, test.want) {
				t.Errorf("%v, want %v", err, test.want)
			}
		})
	}
}
