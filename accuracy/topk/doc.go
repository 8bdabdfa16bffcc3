// Package topk scores image classification. It computes the top-1 accuracy of an accuracy log, equal to that of the
// official ImageNet script.
//
// In scope: payloads of an accuracy log and the labels of the data set. Out of scope: reading logs and data sets (the
// caller); top-5 accuracy, which no official benchmark uses.
package topk
