package detection

import (
	"encoding/binary"
	"fmt"
	"math"

	truth "github.com/plumbline-ml/plumbline/accuracy/coco"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// shownBox is an object in a picture. Its sides are fractions of the picture's sides.
type shownBox struct {
	left, top, right, bottom float64
	category                 int64
}

// boxGallery shows pictures with their true boxes and the model's confident detections.
type boxGallery struct {
	pictures   pictures.PictureSet
	boxes      [][]shownBox // true boxes of each sample
	classes    map[int64]string
	categoryOf func(label int64) int64 // maps a label to its category
}

// Minimum score of a confident detection, minimum overlap of a detection with its object, and size of shown pictures.
const (
	minScore   = .5
	minOverlap = .5
	shownSide  = 360 // longer side of a shown picture in pixels
)

// newGallery returns a gallery. The images of g must be in the order of the samples.
func newGallery(g truth.GroundTruth, p pictures.PictureSet, o truth.EvalOptions) *boxGallery {
	out := &boxGallery{pictures: p, boxes: make([][]shownBox, len(g.Images)), classes: map[int64]string{}}
	places := make(map[int64]int, len(g.Images))
	for i, im := range g.Images {
		places[im.ID] = i
	}
	for _, a := range g.Annotations {
		i, ok := places[a.Image]
		if !ok {
			continue
		}
		w, h := float64(g.Images[i].Width), float64(g.Images[i].Height)
		x, y := a.Box[0]/w, a.Box[1]/h
		out.boxes[i] = append(out.boxes[i], shownBox{x, y, x + a.Box[2]/w, y + a.Box[3]/h, a.Category})
	}
	for _, c := range g.Categories {
		out.classes[c.ID] = c.Name
	}
	out.categoryOf = func(label int64) int64 {
		if o.InverseMap && label > 0 && label <= int64(len(g.Categories)) {
			return g.Categories[label-1].ID
		}
		return label
	}
	return out
}

// parseDetections returns the confident detections in a payload.
func (g *boxGallery) parseDetections(payload []byte) []shownBox {
	var all []shownBox
	for ; len(payload) >= 28; payload = payload[28:] {
		var v [7]float64
		for i := range v {
			v[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(payload[4*i:])))
		}
		if v[5] >= minScore {
			all = append(all, shownBox{v[2], v[1], v[4], v[3], g.categoryOf(int64(v[6]))})
		}
	}
	return all
}

// countFound returns the number of detections that match a true box. Each true box counts once.
func countFound(detections, objects []shownBox) (n int) {
	taken := make([]bool, len(objects))
	for _, d := range detections {
		for i, o := range objects {
			if !taken[i] && d.category == o.category && boxOverlap(d, o) >= minOverlap {
				taken[i] = true
				n++
				break
			}
		}
	}
	return n
}

// boxOverlap returns the intersection of two boxes divided by their union.
func boxOverlap(a, b shownBox) float64 {
	w := min(a.right, b.right) - max(a.left, b.left)
	h := min(a.bottom, b.bottom) - max(a.top, b.top)
	if w <= 0 || h <= 0 {
		return 0
	}
	return w * h / (a.area() + b.area() - w*h)
}

func (b shownBox) area() float64 { return (b.right - b.left) * (b.bottom - b.top) }

// ratePicture rates an answer by the numbers of missed objects and of false detections.
func (g *boxGallery) ratePicture(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
	i, objects, detections := int(e.QSLIndex), g.boxes[e.QSLIndex], g.parseDetections(e.Data)
	right := countFound(detections, objects)
	return float64(len(objects) + len(detections) - 2*right), func() (sdk.Exhibit, error) {
		p, err := pictures.DecodePicture(g.pictures, i)
		if err != nil {
			return sdk.Exhibit{}, err
		}
		small := exhibit.Thumbnail(p, shownSide)
		for _, b := range objects {
			exhibit.Outline(small, b.left, b.top, b.right, b.bottom, exhibit.Truth)
		}
		for _, b := range detections {
			exhibit.Outline(small, b.left, b.top, b.right, b.bottom, exhibit.Found)
		}
		text, err := exhibit.PNG(small)
		return sdk.Exhibit{PNG: text, Caption: fmt.Sprintf("%s: %d of %d objects (green) found, %d detections (red) of "+
			"nothing", g.pictures.Name(i), right, len(objects), len(detections)-right)}, err
	}
}
