package jpeg

import (
	"math"
	"testing"
)

// TestConvertAgainstFormula compares the tables with the real formula for all chroma and every fifth luminance.
func TestConvertAgainstFormula(t *testing.T) {
	near := func(got uint8, want float64) bool {
		return math.Abs(float64(got)-min(max(want, 0), 255)) <= 1
	}
	for y := 0; y < 256; y += 5 {
		for cb := range 256 {
			for cr := range 256 {
				var out [3]uint8
				ycc8.storePixels(out[:], []uint8{uint8(y)}, []uint8{uint8(cb)}, []uint8{uint8(cr)})
				b, r := float64(cb-128), float64(cr-128)
				if !near(out[0], float64(y)+1.402*r) || !near(out[1], float64(y)-0.344136*b-0.714136*r) ||
					!near(out[2], float64(y)+1.772*b) {
					t.Fatalf("Y %d, Cb %d, Cr %d: %v", y, cb, cr, out)
				}
			}
		}
	}
}

func TestColourSpace(t *testing.T) {
	tests := []struct {
		name  string
		ids   string
		jfif  bool
		adobe int
		want  colourSpace
	}{
		{"one component", "\x01", true, -1, grey},
		{"JFIF", "RGB", true, 0, ycc},
		{"Adobe without transform", "\x01\x02\x03", false, 0, rgb},
		{"Adobe with transform", "RGB", false, 1, ycc},
		{"names", "RGB", false, -1, rgb},
		{"no names", "\x00\x01\x02", false, -1, ycc},
		{"four components", "CMYK", false, -1, cmyk},
		{"four, Adobe without transform", "\x01\x02\x03\x04", false, 0, cmyk},
		{"four, Adobe with transform", "\x01\x02\x03\x04", false, 2, ycck},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := Decoder{jfif: test.jfif, adobe: test.adobe}
			d.frame.componentCount = len(test.ids)
			for i := range test.ids {
				d.components[i].id = test.ids[i]
			}
			if got := d.guessColourSpace(); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
