// Package detection contains the common parts of benchmarks that find objects in pictures: data sets with their true
// boxes, rows of the accuracy log, its score, and pictures of its worst samples.
//
// In scope: scenes, COCO and OpenImages as one source ([ReadSource], whose parameters the manifest declares), models
// that answer with boxes, scores and labels ([Outputs]), the log's row for other models ([AppendRow]), the metric
// ([Score]). Out of scope: the models and their inputs (each benchmark), the samples of a run (pictures), the
// computation of the metric (accuracy/coco).
//
// To add a layout of data sets, read it into a coco.Set and add a value to Source.
package detection
