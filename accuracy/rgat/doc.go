// Package rgat scores graph node classification: the accuracy of a log, equal to the official script for IGBH.
//
// In: payloads of an accuracy log and the labels of the samples.
// Out: which paper a sample is, and its label (the data set).
package rgat
