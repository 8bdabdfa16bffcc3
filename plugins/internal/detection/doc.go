// Package detection contains the common parts of benchmarks that find objects in pictures: data sets with their true
// boxes, rows of the accuracy log, its score, and pictures of its worst samples.
//
// In: scenes, COCO and OpenImages as one source ([ReadSource], whose parameters the manifest declares), models that
// answer with boxes, scores and labels ([Outputs]), the log's row for those that answer otherwise ([AppendRow]), the
// metric ([Score]). Out: which models there are and how they take pictures (each benchmark), the samples of a run
// (pictures), the computation of the metric (accuracy/coco).
//
// A further layout of data sets becomes a coco.Set, as package openimages makes one, and a word of Source.
package detection
