package unet3d

import (
	"fmt"
	"image"
	"image/color"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/dice"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// shownSide is the longer side of a shown slice in pixels.
const shownSide = 180

// newWorstGallery returns a gallery of the cases with the lowest scores. It shows the slice with the most classified
// voxels, with the true and the predicted classes.
func newWorstGallery(b windowBinding, set caseSet, scores *dice.VolumeScorer, dtype accuracy.DType) exhibit.Gallery {
	return func(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
		i, score := int(e.QSLIndex), scores.ScoreOf(e.QSLIndex)
		return 1 - score.Composite, func() (sdk.Exhibit, error) {
			labels, err := b.readLabels(set, i)
			if err != nil {
				return sdk.Exhibit{}, err
			}
			values, shape, err := b.readImage(set, i)
			if err != nil {
				return sdk.Exhibit{}, err
			}
			found := make([]uint8, len(labels))
			for v := range found {
				found[v] = uint8(dtype.At(e.Data, v))
			}
			z := fullestSlice(shape, labels, found)
			text, err := exhibit.PNG(exhibit.SideBySide(drawSlice(shape, z, values, nil), drawSlice(shape, z, values, labels),
				drawSlice(shape, z, values, found)))
			return sdk.Exhibit{PNG: text, Caption: fmt.Sprintf(
				"%s, slice %d: the scan, the labels, the model; kidney green, tumour red; DICE %.3f (kidney %.3f, tumour %.3f)",
				set.Name(i), z, score.Composite, score.Kidney, score.Tumour)}, err
		}
	}
}

// fullestSlice returns the slice with the most voxels of any class. Voxels of tumours count ten times.
func fullestSlice(shape volume.Shape, labels, found []uint8) (z int) {
	area, most := shape[1]*shape[2], -1
	for k := range shape[0] {
		n := 0
		for v := k * area; v < (k+1)*area; v++ {
			for _, class := range []uint8{labels[v], found[v]} {
				if n += int(min(class, 1)); class > 1 {
					n += 9
				}
			}
		}
		if n > most {
			z, most = k, n
		}
	}
	return z
}

// drawSlice draws a slice of a volume, overlaid with classes if they are not nil.
func drawSlice(shape volume.Shape, z int, values []float32, classes []uint8) *image.NRGBA {
	h, w := shape[1], shape[2]
	plane := values[z*h*w : (z+1)*h*w]
	low, high := plane[0], plane[0]
	for _, v := range plane {
		low, high = min(low, v), max(high, v)
	}
	p := image.NewNRGBA(image.Rect(0, 0, w, h))
	for k, v := range plane {
		grey := uint8(255 * (v - low) / max(high-low, 1e-6))
		c := color.NRGBA{grey, grey, grey, 255}
		if classes != nil {
			c = overlayClass(c, classes[z*h*w+k])
		}
		p.SetNRGBA(k%w, k/w, c)
	}
	return exhibit.Thumbnail(p, shownSide)
}

// overlayClass colours a voxel by its class: kidney and tumour, or oedema, non-enhancing and enhancing tumour.
func overlayClass(c color.NRGBA, class uint8) color.NRGBA {
	k := exhibit.Truth
	switch class {
	case 0:
		return c
	case 2:
		k = exhibit.Found
	case 3:
		k = color.NRGBA{0xfa, 0xcc, 0x15, 0xff}
	}
	half := func(a, b uint8) uint8 { return uint8((int(a) + int(b)) / 2) }
	return color.NRGBA{half(c.R, k.R), half(c.G, k.G), half(c.B, k.B), 255}
}
