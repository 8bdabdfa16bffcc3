package detection

import (
	"math"
	"slices"
)

// DetectionHead converts the columns of an anchor-free detector (of the YOLO family) to detections. Each place has a
// column with the centre, width and height of a box, in pixels of the network's picture, and a score for each class.
// Arithmetic is in float32, in the order of the library that the reference calls. The zero value is ready for use.
// DetectionHead reuses its memory and is not safe for concurrent use.
type DetectionHead struct {
	classes []int // of each column, its best
	scores  []float32
	order   []uint64 // columns that count: the bits of the score, which fall, over the column
	found   []FoundBox
	boxes   []cornerBox // with the offset of their class
	areas   []float32
	kept    []int
	apart   bool  // boxes of different classes cannot overlap
	last    []int // of each class, the place in kept of its last box, or -1
	before  []int // of each kept box, the place of that of its class before it, or -1
}

// FoundBox is a detection in pixels of the network's picture.
type FoundBox struct {
	Column int // its place in the output
	Class  int
	Score  float32
	X1, Y1 float32
	X2, Y2 float32
}

// COCOClasses is how many classes detectors of COCO have.
const COCOClasses = 80

// COCOLabel is the id that COCO has for one of the COCOClasses classes: its ids run from 1 to 90, with gaps.
func COCOLabel(class int) int {
	label := class + 1
	for _, gap := range [...]int{12, 26, 29, 30, 45, 66, 68, 69, 71, 83} {
		if label >= gap {
			label++
		}
	}
	return label
}

type cornerBox struct{ x1, y1, x2, y2 float32 }

const (
	headThreshold = 0.001 // scores are above
	headOverlap   = 0.7   // of a box with a better one of its class, at most
	headMost      = 300   // detections of a picture
	headSorted    = 30000 // boxes that are compared
	classOffset   = 7680  // sets the boxes of classes apart
)

// Detect finds the detections in an output of the shape [4 + classes, columns], the best first; of equal scores, that
// of the lower column. The result is valid until the next call.
func (h *DetectionHead) Detect(output []float32, classes, columns int) []FoundBox {
	h.last = slices.Grow(h.last[:0], classes)[:classes]
	for c := range h.last {
		h.last[c] = -1
	}
	h.chooseColumns(output, classes, columns)
	h.offsetClasses()
	h.kept, h.before = h.kept[:0], h.before[:0]
	for i := range h.found {
		if len(h.kept) == headMost {
			break
		}
		if !h.isCovered(i) {
			class := h.found[i].Class
			h.before = append(h.before, h.last[class])
			h.last[class] = len(h.kept)
			h.kept = append(h.kept, i)
		}
	}
	for to, i := range h.kept {
		h.found[to] = h.found[i]
	}
	return h.found[:len(h.kept)]
}

// chooseColumns finds the columns whose best class has a score above the threshold, and sorts them. A column with a
// score that is no number is left out.
func (h *DetectionHead) chooseColumns(output []float32, classes, columns int) {
	h.classes, h.scores = slices.Grow(h.classes[:0], columns)[:columns], slices.Grow(h.scores[:0], columns)[:columns]
	for k := range columns {
		h.classes[k], h.scores[k] = 0, float32(math.Inf(-1))
	}
	for c := range classes {
		row := output[(4+c)*columns:][:columns]
		best, scores := h.classes[:len(row)], h.scores[:len(row)]
		for k, s := range row {
			if s > scores[k] || s != s {
				best[k], scores[k] = c, s
			}
		}
	}
	h.order = h.order[:0]
	for k, score := range h.scores {
		if score > headThreshold { // no number is not
			h.order = append(h.order, uint64(^math.Float32bits(score))<<32|uint64(k))
		}
	}
	slices.Sort(h.order)
	h.found = h.found[:0]
	for _, key := range h.order[:min(len(h.order), headSorted)] {
		k := int(uint32(key))
		cx, cy := output[k], output[columns+k]
		halfW, halfH := output[2*columns+k]/2, output[3*columns+k]/2
		h.found = append(h.found, FoundBox{k, h.classes[k], h.scores[k], cx - halfW, cy - halfH, cx + halfW, cy + halfH})
	}
}

// Boxes whose corners lie between these have a place of their own for each class, whatever float32 rounds: the distance
// is less than the offset between two classes by more than the steps of the largest offset.
const (
	minOffset        = -3000
	maxOffset        = 4500
	maxOffsetClasses = 4096
)

// offsetClasses sets the boxes of different classes apart: so far that float32 rounds the corners.
func (h *DetectionHead) offsetClasses() {
	h.boxes, h.areas, h.apart = h.boxes[:0], h.areas[:0], len(h.last) <= maxOffsetClasses
	for _, f := range h.found {
		by := float32(f.Class) * classOffset
		b := cornerBox{f.X1 + by, f.Y1 + by, f.X2 + by, f.Y2 + by}
		h.boxes = append(h.boxes, b)
		h.areas = append(h.areas, (b.x2-b.x1)*(b.y2-b.y1))
		least, most := min(f.X1, f.X2), max(f.X1, f.X2)
		h.apart = h.apart && least >= minOffset && most <= maxOffset // what is no number is not
	}
}

// isCovered reports whether a box overlaps one that is kept: of its class, where others cannot.
func (h *DetectionHead) isCovered(i int) bool {
	if h.apart {
		for k := h.last[h.found[i].Class]; k >= 0; k = h.before[k] {
			if h.boxesOverlap(h.kept[k], i) {
				return true
			}
		}
		return false
	}
	for _, k := range h.kept {
		if h.boxesOverlap(k, i) {
			return true
		}
	}
	return false
}

func (h *DetectionHead) boxesOverlap(k, i int) bool {
	o, b := h.boxes[k], h.boxes[i]
	w := min(o.x2, b.x2) - max(o.x1, b.x1)
	if w <= 0 {
		return false // nothing is in both: the quotient is 0, or no number
	}
	height := min(o.y2, b.y2) - max(o.y1, b.y1)
	if height <= 0 {
		return false
	}
	inter := float32(w * height)
	return inter/float32(float32(h.areas[k]+h.areas[i])-inter) > headOverlap
}
