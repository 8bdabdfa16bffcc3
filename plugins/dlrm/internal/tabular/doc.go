// Package tabular prepares click logs for recommendation. It groups pairs of users and items into the benchmark's
// samples with the reference's random generator, so the samples are the same.
//
// In scope: the sizes of samples; reading distributions. Out of scope: reading and writing data sets, traces and
// tensors.
package tabular
