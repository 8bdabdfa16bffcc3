package detection

import "math"

// Unletterbox is a method of converting boxes in a letterboxed picture to boxes in the original picture. Versions of
// the reference's library use three methods.
type Unletterbox int

const (
	// UnletterboxExact inverts the letterboxing separately for each side: the library from 8.4.190 on.
	UnletterboxExact Unletterbox = iota
	// UnletterboxOneScale divides both sides by the same scale: 8.4.40 to 8.4.160.
	UnletterboxOneScale
	// UnletterboxUnrounded in addition does not round the scaled side before it computes the border: up to 8.4.0.
	UnletterboxUnrounded
)

// LetterboxFrame is a picture of W x H pixels inside a letterboxed picture of BoxedW x BoxedH pixels.
type LetterboxFrame struct{ W, H, BoxedW, BoxedH int }

// letterboxedSide describes the transformation of coordinates along one side: border, scale, and length of the original
// side.
type letterboxedSide struct{ pad, scale, length float32 }

func (u Unletterbox) newSide(length, boxed int, scale float64) letterboxedSide {
	scaled := float64(length) * scale
	if u != UnletterboxUnrounded {
		scaled = math.RoundToEven(scaled)
	}
	if u == UnletterboxExact {
		scaled = max(1, scaled)
		scale = scaled / float64(length)
	}
	return letterboxedSide{float32(math.RoundToEven((float64(boxed)-scaled)/2 - 0.1)), float32(scale), float32(length)}
}

func (s letterboxedSide) restoreCoordinate(v float32) float32 {
	return min(max(float32(v-s.pad)/s.scale, 0), s.length)
}

// RestoreBox returns the detection with its box in pixels of the original picture, clipped to it.
func (u Unletterbox) RestoreBox(f FoundBox, in LetterboxFrame) FoundBox {
	scale := min(float64(in.BoxedH)/float64(in.H), float64(in.BoxedW)/float64(in.W))
	x, y := u.newSide(in.W, in.BoxedW, scale), u.newSide(in.H, in.BoxedH, scale)
	f.X1, f.X2, f.Y1, f.Y2 = x.restoreCoordinate(f.X1), x.restoreCoordinate(f.X2), y.restoreCoordinate(f.Y1),
		y.restoreCoordinate(f.Y2)
	return f
}

// ToFractions converts a box in pixels of the picture to the form of the log's rows: ymin, xmin, ymax, xmax as
// fractions of the picture's sides.
func (in LetterboxFrame) ToFractions(f FoundBox) [4]float32 {
	w, h := float32(in.W), float32(in.H)
	return [4]float32{f.Y1 / h, f.X1 / w, f.Y2 / h, f.X2 / w}
}
