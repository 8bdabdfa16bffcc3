// Package clicks draws synthetic click logs: pairs of a user and an item in the shape of the recommendation benchmark's
// data (13 numbers, 26 tables of indices with its multi-hot sizes, a label), with a signal that a model can learn.
//
// Clicks are drawn from a hidden model with effects of single indices, of pairs of tables, of the numbers (some of them
// not monotone) and of pairs of numbers and tables. The draw is random even with a known hidden model, so the best
// possible AUC is well below 1.
//
// A pair depends only on the seed of its set and on its index. It is the same on every machine, since the hidden model
// uses integers.
//
// In scope: pairs; writing them in the official layout. Out of scope: grouping pairs into samples.
package clicks
