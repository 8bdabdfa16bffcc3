package coco

import (
	"cmp"
	"slices"
)

// mlmarkMinScore is the score below which MLMark drops a detection.
const mlmarkMinScore = 0.30

// MLMark returns the mean average precision as MLMark defines it, in percent, or -1 if no category is detected. It
// differs from COCO's: detections with scores below 0.30 are dropped; a detection is correct if any true box of its
// category in the image overlaps it by the threshold, even if other detections match the same box; boxes include the
// pixels of their last row and column; the precision at each of 101 recalls is the highest at a greater recall; and the
// mean excludes categories without detections.
func (s *DetectionScorer) MLMark() float64 {
	evaluated := s.evaluatedImages()
	sum, n := 0.0, 0
	for k, g := range s.groupByCategory() {
		hits := collectHits(g, s.truths[s.starts[k]:s.starts[k+1]])
		if len(hits) == 0 {
			continue
		}
		toFind := 0
		for _, t := range s.truths[s.starts[k]:s.starts[k+1]] {
			if evaluated[t.rank] {
				toFind++
			}
		}
		for t := range thresholds {
			sum += mlmarkPrecision(hits, mlmarkThreshold(t), toFind)
			n++
		}
	}
	if n == 0 {
		return -1
	}
	return 100 * sum / float64(n)
}

// mlmarkThreshold returns the i-th overlap threshold, 0.50 to 0.95.
func mlmarkThreshold(i int) float64 { return float64(50+5*i) / 100 }

// bestHit is a detection and its largest overlap with a true box.
type bestHit struct {
	score   float32
	overlap float64
}

// collectHits returns the detections of a category, highest score first.
func collectHits(g categoryGroup, truths []trueBox) []bestHit {
	var hits []bestHit
	for i, d := range g.detections {
		if d.score < mlmarkMinScore {
			continue
		}
		h := bestHit{score: d.score}
		at, _ := slices.BinarySearchFunc(truths, g.ranks[i], func(t trueBox, rank int32) int {
			return cmp.Compare(t.rank, rank)
		})
		for ; at < len(truths) && truths[at].rank == g.ranks[i]; at++ {
			h.overlap = max(h.overlap, wholePixelIoU(&d, &truths[at]))
		}
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b bestHit) int { return cmp.Compare(b.score, a.score) })
	return hits
}

// wholePixelIoU returns the intersection over union of boxes that include their last row and column.
func wholePixelIoU(d *detection, t *trueBox) float64 {
	along := func(a, lengthA, b, lengthB float64) float64 { return min(a+lengthA, b+lengthB) - max(a, b) + 1 }
	w := along(float64(d.x), float64(d.w), t.x, t.w)
	h := along(float64(d.y), float64(d.h), t.y, t.h)
	if w <= 0 || h <= 0 {
		return 0
	}
	both := w * h
	return both / ((float64(d.w)+1)*(float64(d.h)+1) + (t.w+1)*(t.h+1) - both)
}

// mlmarkPrecision returns the average precision at one overlap threshold.
func mlmarkPrecision(hits []bestHit, minOverlap float64, truthCount int) float64 {
	if truthCount == 0 {
		return 0
	}
	right := 0
	recalls, precisions := make([]float64, len(hits)), make([]float64, len(hits))
	for i, h := range hits {
		if h.overlap >= minOverlap {
			right++
		}
		recalls[i], precisions[i] = float64(right)/float64(truthCount), float64(right)/float64(i+1)
	}
	for i := len(precisions) - 2; i >= 0; i-- {
		precisions[i] = max(precisions[i], precisions[i+1])
	}
	sum, i := 0.0, 0
	for point := range recallPoints {
		for i < len(hits) && recalls[i] <= recallAt(point) {
			i++
		}
		if i == len(hits) {
			break
		}
		sum += precisions[i]
	}
	return sum / recallPoints
}
