package coco

import (
	"fmt"
	"strings"
)

// Stats contains the twelve numbers of the COCO evaluation, each from 0 to 1, or -1 if the truth contains no such
// object. AP is the average precision, AR the average recall, with at most 100 detections per image and category,
// averaged over categories and over intersections over union of 0.50, 0.55 ... 0.95 unless said otherwise.
type Stats struct {
	AP       float64 // which MLPerf calls mAP
	AP50     float64 // at an intersection over union of 0.50 alone
	AP75     float64
	APSmall  float64 // of objects of at most 32 x 32 pixels
	APMedium float64 // between
	APLarge  float64 // of at least 96 x 96 pixels
	AR1      float64 // with at most 1 detection per image and category
	AR10     float64
	AR100    float64
	ARSmall  float64
	ARMedium float64
	ARLarge  float64
}

// Ranges of a box's area, in the order of the official table.
const (
	anySize = iota
	small
	medium
	large
)

func summarizeCurves(all []categoryCurves) Stats {
	const at50, at75 = 0, 5 // places in iouThresholds
	precision := func(area int) float64 { return meanPrecision(all, area, 0, thresholds) }
	return Stats{
		AP:       precision(anySize),
		AP50:     meanPrecision(all, anySize, at50, at50+1),
		AP75:     meanPrecision(all, anySize, at75, at75+1),
		APSmall:  precision(small),
		APMedium: precision(medium),
		APLarge:  precision(large),
		AR1:      meanRecall(all, anySize, 0),
		AR10:     meanRecall(all, anySize, 1),
		AR100:    meanRecall(all, anySize, 2),
		ARSmall:  meanRecall(all, small, 2),
		ARMedium: meanRecall(all, medium, 2),
		ARLarge:  meanRecall(all, large, 2),
	}
}

// String is the twelve lines that the official scripts print, without a newline at the end.
func (s Stats) String() string {
	rows := [...]struct {
		title, kind, iou, area string
		maxDetections          int
		value                  float64
	}{
		{"Average Precision", "(AP)", "0.50:0.95", "all", 100, s.AP},
		{"Average Precision", "(AP)", "0.50", "all", 100, s.AP50},
		{"Average Precision", "(AP)", "0.75", "all", 100, s.AP75},
		{"Average Precision", "(AP)", "0.50:0.95", "small", 100, s.APSmall},
		{"Average Precision", "(AP)", "0.50:0.95", "medium", 100, s.APMedium},
		{"Average Precision", "(AP)", "0.50:0.95", "large", 100, s.APLarge},
		{"Average Recall", "(AR)", "0.50:0.95", "all", 1, s.AR1},
		{"Average Recall", "(AR)", "0.50:0.95", "all", 10, s.AR10},
		{"Average Recall", "(AR)", "0.50:0.95", "all", 100, s.AR100},
		{"Average Recall", "(AR)", "0.50:0.95", "small", 100, s.ARSmall},
		{"Average Recall", "(AR)", "0.50:0.95", "medium", 100, s.ARMedium},
		{"Average Recall", "(AR)", "0.50:0.95", "large", 100, s.ARLarge},
	}
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = fmt.Sprintf(" %-18s %s @[ IoU=%-9s | area=%6s | maxDets=%3d ] = %.3f",
			r.title, r.kind, r.iou, r.area, r.maxDetections, r.value)
	}
	return strings.Join(lines, "\n")
}

// CategoryAP is the average precision of one category over all thresholds, for objects of any size; -1 if the evaluated
// images contain no object of the category.
type CategoryAP struct {
	Category
	AP float64
}

// DetectionResult is the metric of one log.
type DetectionResult struct {
	Stats
	Categories []CategoryAP // by ID

	Entries    int // of the log
	Duplicates int // entries dropped because their sample had been seen
	Images     int // distinct samples seen: the images that were evaluated
	Empty      int // of those, without any detection
	Detections int // of the entries that count
	Unknown    int // of those, of categories that the data set lacks: they have no effect
	// Disagreements lists the detections that name another sample than their entry, in the order of the log.
	Disagreements []Disagreement
}

// MAP is the mean average precision in percent, the benchmark's metric, not rounded. It is negative, -100, if the
// images of the log hold no object at all.
func (r DetectionResult) MAP() float64 { return 100 * r.AP }

// String is the line that the official scripts print, which the submission checker looks for.
func (r DetectionResult) String() string { return fmt.Sprintf("mAP=%.3f%%", r.MAP()) }

// Verbose is all that the official scripts print after the evaluation with --verbose: the twelve numbers, mAP and
// counts, without a newline at the end.
func (r DetectionResult) Verbose() string {
	return fmt.Sprintf("%v\n%v\nfound %d results\nfound %d images\nfound %d images with no results\nignored %d dupes",
		r.Stats, r, r.Entries, r.Images, r.Empty, r.Duplicates)
}
