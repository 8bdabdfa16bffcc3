// Package topk scores image classification: top-1 accuracy of an accuracy log, equal to the official ImageNet script.
//
// In: payloads of an accuracy log and the labels of the data set. Out: reading logs and data sets (the caller); top-5,
// since official benchmarks do not use it.
package topk
