package coco

import (
	"math"
	"slices"
)

// maxDetections is the maximum number of detections per image and category that count, highest scores first.
const maxDetections = 100

const (
	areas      = 4  // all, small, medium, large
	thresholds = 10 // of intersection over union
)

// areaRanges contains the smallest and the largest area of each range in pixels. Both limits belong to the range.
var areaRanges = [areas][2]float64{{0, 1e5 * 1e5}, {0, 32 * 32}, {32 * 32, 96 * 96}, {96 * 96, 1e5 * 1e5}}

// iouThresholds contains the exact values of numpy.linspace(0.5, 0.95, 10).
var iouThresholds = [thresholds]float64{
	0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.8999999999999999, 0.95,
}

// matchOutcome records whether a detection was matched or ignored, for each range of area and each threshold. The bit
// is area*thresholds + threshold.
type matchOutcome struct {
	matched, ignored uint64
}

func outcomeBit(area, threshold int) uint64 { return 1 << (area*thresholds + threshold) }

const allThresholds = 1<<thresholds - 1

// boxMatcher assigns the detections of one image and category to its true boxes. Its slices are reused.
type boxMatcher struct {
	order    []uint64       // detections by descending score, then in the order of the log
	ious     []float64      // of detection d and truth g at index d*len(truths) + g
	sequence []int          // truths: those that count, then those to be ignored
	ignore   []bool         // by truth
	taken    []uint16       // by truth: one bit for each threshold
	outcomes []matchOutcome // by position in order
}

// matchImage sets m.order, limited to maxDetections, and m.outcomes.
func (m *boxMatcher) matchImage(detections []detection, truths []trueBox) {
	m.rankDetections(detections)
	m.outcomes = append(m.outcomes[:0], make([]matchOutcome, len(m.order))...)
	m.computeOverlaps(detections, truths)
	for area, limits := range areaRanges {
		if len(truths) > 0 {
			m.arrangeTruths(truths, limits)
			for t, threshold := range iouThresholds {
				m.assignTruths(truths, area, t, threshold)
			}
		}
		m.ignoreOutside(detections, area, limits)
	}
}

// rankDetections sorts detections by descending score. Detections with equal scores keep their order.
func (m *boxMatcher) rankDetections(detections []detection) {
	m.order = m.order[:0]
	for i, d := range detections {
		m.order = append(m.order, uint64(^sortableScore(d.score))<<32|uint64(i))
	}
	slices.Sort(m.order)
	m.order = m.order[:min(len(m.order), maxDetections)]
}

// detectionAt returns the index of the detection at a position of the order.
func (m *boxMatcher) detectionAt(place int) int { return int(uint32(m.order[place])) }

func (m *boxMatcher) computeOverlaps(detections []detection, truths []trueBox) {
	m.ious = m.ious[:0]
	if len(truths) == 0 {
		return
	}
	for place := range m.order {
		d := &detections[m.detectionAt(place)]
		for g := range truths {
			m.ious = append(m.ious, iou(d, &truths[g]))
		}
	}
}

// iou returns the intersection over union of two boxes. For a crowd, it divides the intersection by the detection's
// area.
func iou(d *detection, t *trueBox) float64 {
	dx, dy, dw, dh := float64(d.x), float64(d.y), float64(d.w), float64(d.h)
	w := min(dw+dx, t.w+t.x) - max(dx, t.x)
	if w <= 0 {
		return 0
	}
	h := min(dh+dy, t.h+t.y) - max(dy, t.y)
	if h <= 0 {
		return 0
	}
	both, area := float64(w*h), float64(dw*dh)
	if t.crowd {
		return both / area
	}
	return both / (area + float64(t.w*t.h) - both)
}

// arrangeTruths sorts the truths that count in a range of area before the others.
func (m *boxMatcher) arrangeTruths(truths []trueBox, limits [2]float64) {
	m.sequence, m.ignore = m.sequence[:0], m.ignore[:0]
	for g := range truths {
		t := &truths[g]
		m.ignore = append(m.ignore, t.crowd || t.area < limits[0] || t.area > limits[1])
		if !m.ignore[g] {
			m.sequence = append(m.sequence, g)
		}
	}
	for g := range truths {
		if m.ignore[g] {
			m.sequence = append(m.sequence, g)
		}
	}
	m.taken = append(m.taken[:0], make([]uint16, len(truths))...)
}

// assignTruths assigns to each detection, highest score first, the free truth with the largest intersection over union.
func (m *boxMatcher) assignTruths(truths []trueBox, area, threshold int, minOverlap float64) {
	for place := range m.order {
		g := m.bestTruth(truths, place, threshold, minOverlap)
		if g < 0 {
			continue
		}
		m.taken[g] |= 1 << threshold
		o := &m.outcomes[place]
		if m.ignore[g] {
			o.ignored |= outcomeBit(area, threshold)
		}
		if !truths[g].zeroID {
			o.matched |= outcomeBit(area, threshold)
		}
	}
}

// bestTruth returns the index of the truth for a detection, or -1. It prefers truths that count to those to be ignored,
// and the last among equal truths. A crowd remains free for further detections.
func (m *boxMatcher) bestTruth(truths []trueBox, place, threshold int, minOverlap float64) int {
	ious := m.ious[place*len(truths):][:len(truths)]
	found := -1
	for _, g := range m.sequence {
		if m.taken[g]>>threshold&1 == 1 && !truths[g].crowd {
			continue
		}
		if found >= 0 && !m.ignore[found] && m.ignore[g] {
			break
		}
		if !(ious[g] < minOverlap) {
			minOverlap, found = ious[g], g
		}
	}
	return found
}

// ignoreOutside marks as ignored the unmatched detections whose area is outside the range.
func (m *boxMatcher) ignoreOutside(detections []detection, area int, limits [2]float64) {
	for place := range m.order {
		d := &detections[m.detectionAt(place)]
		size := float64(d.w) * float64(d.h)
		if size < limits[0] || size > limits[1] {
			o := &m.outcomes[place]
			o.ignored |= allThresholds << (area * thresholds) &^ o.matched
		}
	}
}

// countsIn reports whether a truth must be found in a range of area.
func (t *trueBox) countsIn(area int) bool {
	limits := areaRanges[area]
	return !t.crowd && t.area >= limits[0] && t.area <= limits[1]
}

// sortableScore returns a number that sorts in the same order as the score.
func sortableScore(score float32) uint32 {
	if score == 0 { // -0 equals 0
		return 1 << 31
	}
	b := math.Float32bits(score)
	if b>>31 == 1 {
		return ^b
	}
	return b | 1<<31
}
