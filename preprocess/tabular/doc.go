// Package tabular prepares click logs for recommendation: it groups pairs of users and items into the benchmark's
// samples, with the reference's generator so that the samples are the same.
//
// In: the sizes of samples; reading distributions.
// Out: reading and writing data sets, traces and tensors.
package tabular
