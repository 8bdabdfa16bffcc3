package coco

import "github.com/plumbline-ml/plumbline/internal/pyfloat"

// recallPoints is the number of recall values at which a curve is sampled: 0, 0.01 ... 1.
const recallPoints = 101

// detectionLimits contains the numbers of detections per image and category that count, for each kind of recall.
var detectionLimits = [3]int{1, 10, maxDetections}

// areaCurve contains the precision and recall of one category in one range of area.
type areaCurve struct {
	// precision contains the precision at each point of recall, made monotone: the highest precision at this recall or
	// above, and 0 above the highest recall reached. It is nil if no ground-truth object counts; averages then leave out
	// the category.
	precision *[thresholds][recallPoints]float64
	recall    [len(detectionLimits)][thresholds]float64
}

// categoryCurves contains the curves of one category, one for each range of area.
type categoryCurves [areas]areaCurve

func (w *categoryWorker) buildCurves() (c categoryCurves) {
	for area := range c {
		if w.truthCounts[area] == 0 {
			continue
		}
		c[area].precision = new([thresholds][recallPoints]float64)
		for t := range thresholds {
			w.tracePrecision(&c[area], area, t)
		}
	}
	return c
}

// tracePrecision visits the detections in order of score and records the precision at each true positive.
func (w *categoryWorker) tracePrecision(c *areaCurve, area, t int) {
	mask := outcomeBit(area, t)
	var right, wrong float64
	var within [len(detectionLimits)]int
	w.points = w.points[:0]
	for i := range w.scored {
		d := &w.scored[i]
		switch {
		case d.ignored&mask != 0:
		case d.matched&mask == 0:
			wrong++
		default:
			right++
			w.points = append(w.points, right/(wrong+right+epsilon))
			for j, maxPlace := range detectionLimits {
				if d.position < maxPlace {
					within[j]++
				}
			}
		}
	}
	for j, n := range within {
		c.recall[j][t] = float64(n) / float64(w.truthCounts[area])
	}
	samplePrecision(w.points, w.truthCounts[area], &c.precision[t])
}

// epsilon is numpy.spacing(1). The reference adds it to denominators that may be 0.
const epsilon = 1.0 / (1 << 52)

// samplePrecision sets sampled to the precision at each point of recall. points contains the precision after each of
// the truthCount truths that was found.
func samplePrecision(points []float64, truthCount int, sampled *[recallPoints]float64) {
	for i := len(points) - 1; i > 0; i-- {
		points[i-1] = max(points[i-1], points[i])
	}
	n := 0
	for r := range sampled {
		for n < len(points) && float64(n+1)/float64(truthCount) < recallAt(r) {
			n++
		}
		if n == len(points) {
			return
		}
		sampled[r] = points[n]
	}
}

// recallAt returns numpy.linspace(0, 1, 101)[i] exactly.
func recallAt(i int) float64 { return float64(i) * 0.01 }

// averagePrecision returns the mean over thresholds and recall points for objects of any size, or -1 if there are no
// truths.
func (c *categoryCurves) averagePrecision() float64 {
	return meanPrecision([]categoryCurves{*c}, 0, 0, thresholds)
}

// meanPrecision returns the mean over categories, recall points and the thresholds from first to end-1. It adds in the
// same order as the reference.
func meanPrecision(all []categoryCurves, area, first, end int) float64 {
	var values []float64
	for t := first; t < end; t++ {
		for r := range recallPoints {
			for k := range all {
				if p := all[k][area].precision; p != nil {
					values = append(values, p[t][r])
				}
			}
		}
	}
	return meanOf(values)
}

// meanRecall returns the mean recall over thresholds and categories.
func meanRecall(all []categoryCurves, area, limit int) float64 {
	var values []float64
	for t := range thresholds {
		for k := range all {
			if all[k][area].precision != nil {
				values = append(values, all[k][area].recall[limit][t])
			}
		}
	}
	return meanOf(values)
}

// meanOf returns the mean of values, or -1 without values, like the reference.
func meanOf(values []float64) float64 {
	if len(values) == 0 {
		return -1
	}
	return pyfloat.Mean(values)
}
