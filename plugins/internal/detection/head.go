package detection

import (
	"math"
	"slices"
)

// DetectionHead converts the output of an anchor-free detector (of the YOLO family) to detections. The output has a
// column for each position. It contains the centre, width and height of a box, in pixels of the network's picture, and
// a score for each class. Arithmetic is in float32, in the order of operations of the reference's library. The zero
// value is ready for use. DetectionHead reuses its memory and is not safe for concurrent use.
type DetectionHead struct {
	classes         []int // best class of each column
	scores          []float32
	order           []uint64 // columns above the threshold as sort keys: the inverted bits of the score, then the column
	found           []FoundBox
	boxes           []cornerBox // shifted by the offset of their class
	areas           []float32
	kept            []int
	classesDisjoint bool  // boxes of different classes cannot overlap
	lastOfClass     []int // for each class, the index in kept of its last box, or -1
	previousOfClass []int // for each kept box, the index in kept of the previous box of its class, or -1
}

// FoundBox is a detection. Its coordinates are in pixels of the network's picture.
type FoundBox struct {
	Column int // column in the output
	Class  int
	Score  float32
	X1, Y1 float32
	X2, Y2 float32
}

// COCOClasses is the number of classes of COCO detectors.
const COCOClasses = 80

// COCOLabel returns COCO's ID of one of the COCOClasses classes. The IDs are 1 to 90, with gaps.
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
	headThreshold     = 0.001 // minimum score, exclusive
	headOverlap       = 0.7   // maximum overlap with a better box of the same class
	maxHeadDetections = 300   // maximum number of detections per picture
	maxHeadCandidates = 30000 // maximum number of boxes that are compared
	classOffset       = 7680  // distance between the boxes of two classes
)

// Detect returns the detections in an output of the shape [4 + classes, columns], sorted by descending score and then
// by column. The result is valid until the next call.
func (h *DetectionHead) Detect(output []float32, classes, columns int) []FoundBox {
	h.lastOfClass = slices.Grow(h.lastOfClass[:0], classes)[:classes]
	for c := range h.lastOfClass {
		h.lastOfClass[c] = -1
	}
	h.chooseColumns(output, classes, columns)
	h.offsetClasses()
	h.kept, h.previousOfClass = h.kept[:0], h.previousOfClass[:0]
	for i := range h.found {
		if len(h.kept) == maxHeadDetections {
			break
		}
		if !h.isCovered(i) {
			class := h.found[i].Class
			h.previousOfClass = append(h.previousOfClass, h.lastOfClass[class])
			h.lastOfClass[class] = len(h.kept)
			h.kept = append(h.kept, i)
		}
	}
	for to, i := range h.kept {
		h.found[to] = h.found[i]
	}
	return h.found[:len(h.kept)]
}

// chooseColumns selects the columns whose best score exceeds the threshold, and sorts them. It ignores columns with a
// NaN score.
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
		if score > headThreshold { // false for NaN
			h.order = append(h.order, uint64(^math.Float32bits(score))<<32|uint64(k))
		}
	}
	slices.Sort(h.order)
	h.found = h.found[:0]
	for _, key := range h.order[:min(len(h.order), maxHeadCandidates)] {
		k := int(uint32(key))
		cx, cy := output[k], output[columns+k]
		halfW, halfH := output[2*columns+k]/2, output[3*columns+k]/2
		h.found = append(h.found, FoundBox{k, h.classes[k], h.scores[k], cx - halfW, cy - halfH, cx + halfW, cy + halfH})
	}
}

// If all corners are within these limits, boxes of different classes never overlap, despite float32 rounding: the gap
// between two classes exceeds the rounding steps at the largest offset.
const (
	minOffset        = -3000
	maxOffset        = 4500
	maxOffsetClasses = 4096
)

// offsetClasses shifts the boxes of each class by a different offset. The offsets are so large that float32 rounds the
// corners, as in the reference.
func (h *DetectionHead) offsetClasses() {
	h.boxes, h.areas, h.classesDisjoint = h.boxes[:0], h.areas[:0], len(h.lastOfClass) <= maxOffsetClasses
	for _, f := range h.found {
		by := float32(f.Class) * classOffset
		b := cornerBox{f.X1 + by, f.Y1 + by, f.X2 + by, f.Y2 + by}
		h.boxes = append(h.boxes, b)
		h.areas = append(h.areas, (b.x2-b.x1)*(b.y2-b.y1))
		least, most := min(f.X1, f.X2), max(f.X1, f.X2)
		h.classesDisjoint = h.classesDisjoint && least >= minOffset && most <= maxOffset // false for NaN
	}
}

// isCovered reports whether box i overlaps a kept box too much. If classes are disjoint, it compares only boxes of the
// same class.
func (h *DetectionHead) isCovered(i int) bool {
	if h.classesDisjoint {
		for k := h.lastOfClass[h.found[i].Class]; k >= 0; k = h.previousOfClass[k] {
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
		return false // no intersection: the quotient is 0 or NaN
	}
	height := min(o.y2, b.y2) - max(o.y1, b.y1)
	if height <= 0 {
		return false
	}
	inter := float32(w * height)
	return inter/float32(float32(h.areas[k]+h.areas[i])-inter) > headOverlap
}
