package coco

import (
	"fmt"
	"strings"
)

// Stats contains the twelve numbers of the COCO evaluation, each from 0 to 1, or -1 if the truth contains no such
// object. AP is the average precision and AR the average recall, with a limit of 100 detections per image and category.
// Both are averaged over categories and over intersections over union of 0.50, 0.55 ... 0.95, unless a field states
// otherwise.
type Stats struct {
	AP       float64 // MLPerf calls it mAP
	AP50     float64 // only at an intersection over union of 0.50
	AP75     float64
	APSmall  float64 // of objects with areas up to 32 x 32 pixels
	APMedium float64 // of objects with areas between the limits of APSmall and APLarge
	APLarge  float64 // of objects with areas from 96 x 96 pixels
	AR1      float64 // with a limit of 1 detection per image and category
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

// String returns the twelve lines that the official scripts print, without a final newline.
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

// CategoryAP contains the average precision of one category over all thresholds, for objects of any size, or -1 if the
// evaluated images contain no object of the category.
type CategoryAP struct {
	Category
	AP float64
}

// DetectionResult is the metric of one log.
type DetectionResult struct {
	Stats
	Categories []CategoryAP // by ID

	Entries    int // entries of the log
	Duplicates int // entries ignored because the log already contained their sample
	Images     int // distinct samples in the log: the evaluated images
	Empty      int // evaluated images without detections
	Detections int // detections of the evaluated images
	Unknown    int // detections of categories that the data set lacks; they have no effect
	// Disagreements contains the detections that name another sample than their entry, in the order of the log.
	Disagreements []Disagreement
}

// MAP returns the benchmark's metric, the mean average precision in percent, without rounding. It is -100 if the images
// of the log contain no objects.
func (r DetectionResult) MAP() float64 { return 100 * r.AP }

// String returns the line that the official scripts print and the submission checker reads.
func (r DetectionResult) String() string { return fmt.Sprintf("mAP=%.3f%%", r.MAP()) }

// Verbose returns the text that the official scripts print with --verbose after the evaluation: the twelve numbers, mAP
// and counts, without a final newline.
func (r DetectionResult) Verbose() string {
	return fmt.Sprintf("%v\n%v\nfound %d results\nfound %d images\nfound %d images with no results\nignored %d dupes",
		r.Stats, r, r.Entries, r.Images, r.Empty, r.Duplicates)
}
