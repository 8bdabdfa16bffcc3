package detection

import "math"

// Unletterbox is the method that converts boxes in a letterboxed picture to boxes in the original picture. Versions of
// the reference's library use three methods.
type Unletterbox int

const (
	// UnletterboxExact undoes what letterboxing did, side by side: the library from 8.4.190 on.
	UnletterboxExact Unletterbox = iota
	// UnletterboxOneScale divides both sides by one scale: 8.4.40 to 8.4.160.
	UnletterboxOneScale
	// UnletterboxUnrounded does not round the scaled side before it halves the border either: up to 8.4.0.
	UnletterboxUnrounded
)

// LetterboxFrame is a picture of W x H pixels within a letterboxed picture of BoxedW x BoxedH.
type LetterboxFrame struct{ W, H, BoxedW, BoxedH int }

// letterboxedSide is how one side's coordinates are moved and scaled.
type letterboxedSide struct{ pad, scale, most float32 }

func (u Unletterbox) letterboxSide(length, boxed int, scale float64) letterboxedSide {
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

func (s letterboxedSide) restoreLength(v float32) float32 {
	return min(max(float32(v-s.pad)/s.scale, 0), s.most)
}

// RestoreBox returns a detection with its box in pixels of the picture, cut to it.
func (u Unletterbox) RestoreBox(f FoundBox, in LetterboxFrame) FoundBox {
	scale := min(float64(in.BoxedH)/float64(in.H), float64(in.BoxedW)/float64(in.W))
	x, y := u.letterboxSide(in.W, in.BoxedW, scale), u.letterboxSide(in.H, in.BoxedH, scale)
	f.X1, f.X2, f.Y1, f.Y2 = x.restoreLength(f.X1), x.restoreLength(f.X2), y.restoreLength(f.Y1), y.restoreLength(f.Y2)
	return f
}

// BoxShares returns the box of a detection in pixels of the picture, as rows of the log have it: ymin, xmin, ymax, xmax
// by the sides of the picture.
func (in LetterboxFrame) BoxShares(f FoundBox) [4]float32 {
	w, h := float32(in.W), float32(in.H)
	return [4]float32{f.Y1 / h, f.X1 / w, f.Y2 / h, f.X2 / w}
}
