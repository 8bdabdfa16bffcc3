// Package tabular prepares click logs for recommendation: how pairs of users and items are grouped into the samples of
// the benchmark, drawn with the generator of the reference so that the samples are the same.
//
// In: the sizes of samples; reading distributions.
// Out: reading and writing data sets, traces and tensors.
package tabular
