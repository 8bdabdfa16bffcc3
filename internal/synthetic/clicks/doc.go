// Package clicks draws synthetic click logs: pairs of a user and an item in the shape of the recommendation benchmark's
// data (13 numbers, 26 tables of indices with its multi-hot sizes, a label), with a signal that a model can learn.
//
// Whether a pair was clicked is drawn from a hidden model: effects of single indices, of tables on each other, of the
// numbers (some of them not monotone) and of numbers on tables. Even who knows the hidden model cannot predict the
// draw, so that the best possible AUC is well below 1.
//
// A pair depends on the seed of its set and its index alone, and is the same on every machine: the hidden
// model counts in integers.
//
// In: pairs; writing them in the official layout.
// Out: grouping pairs into samples.
package clicks
