// Package rgat scores graph node classification. The accuracy of a log equals that of the official script for IGBH.
//
// In scope: payloads of an accuracy log and the labels of the samples. Out of scope: the paper and label of a sample
// (the data set).
package rgat
