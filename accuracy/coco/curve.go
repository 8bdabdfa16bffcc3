package coco

import "github.com/plumbline-ml/plumbline/internal/pyfloat"

// recallPoints is how many values of recall a curve is read at: 0, 0.01 ... 1.
const recallPoints = 101

// caps are the numbers of detections of an image and category that count, for recall.
var caps = [3]int{1, 10, maxDetections}

// areaCurve is what one category is worth in one range of area.
type areaCurve struct {
	// precision at each point of recall, made monotone: the best at this recall or a higher one; 0 beyond what is reached.
	// Nil where no truth counts: the category then has no share in any mean.
	precision *[thresholds][recallPoints]float64
	recall    [len(caps)][thresholds]float64
}

// categoryCurves are the curves of one category, one for each range of area.
type categoryCurves [areas]areaCurve

func (w *categoryWorker) buildCurves() (c categoryCurves) {
	for area := range c {
		if w.toFind[area] == 0 {
			continue
		}
		c[area].precision = new([thresholds][recallPoints]float64)
		for t := range thresholds {
			w.tracePrecision(&c[area], area, t)
		}
	}
	return c
}

// tracePrecision goes down the detections by score and keeps the precision at each true one.
func (w *categoryWorker) tracePrecision(c *areaCurve, area, t int) {
	mask := outcomeBit(area, t)
	var right, wrong float64
	var within [len(caps)]int
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
			for j, maxPlace := range caps {
				if d.place < maxPlace {
					within[j]++
				}
			}
		}
	}
	for j, n := range within {
		c.recall[j][t] = float64(n) / float64(w.toFind[area])
	}
	readOff(w.points, w.toFind[area], &c.precision[t])
}

// epsilon is numpy.spacing(1), which the reference adds to a denominator that may be 0.
const epsilon = 1.0 / (1 << 52)

// readOff fills at with the precision at each point of recall. points holds the precision when the first, second ...
// of toFind truths has been found.
func readOff(points []float64, toFind int, at *[recallPoints]float64) {
	for i := len(points) - 1; i > 0; i-- {
		points[i-1] = max(points[i-1], points[i])
	}
	n := 0
	for r := range at {
		for n < len(points) && float64(n+1)/float64(toFind) < recallAt(r) {
			n++
		}
		if n == len(points) {
			return
		}
		at[r] = points[n]
	}
}

// recallAt is numpy.linspace(0, 1, 101)[i], to the bit.
func recallAt(i int) float64 { return float64(i) * 0.01 }

// averagePrecision is the mean over thresholds and recall for objects of any size, or -1 if there is nothing to find.
func (c *categoryCurves) averagePrecision() float64 {
	return meanPrecision([]categoryCurves{*c}, 0, 0, thresholds)
}

// meanPrecision is the mean over categories, recall and the thresholds from first up to, not including, end. It adds in
// the order in which the reference does.
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

// meanRecall is the mean over thresholds and categories.
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

// meanOf is -1 for no values, as in the reference.
func meanOf(values []float64) float64 {
	if len(values) == 0 {
		return -1
	}
	return pyfloat.Mean(values)
}
