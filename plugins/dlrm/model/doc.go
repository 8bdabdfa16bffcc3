// Package model holds the embedded model of the dlrm benchmark: a small DLRM, trained by the script beside it on package
// datasets/synthetic/clicks.
//
//	input   dense_x   float32 N,13      log(1 + count) of 13 numbers
//	input   offsets   int32   26*N+1    bag k*N+i, of table k and pair i, is the indices from its offset to the next
//	input   indices   int32   214*N     rows of the tables: all of table 0, then all of table 1, ...
//	output  pred      float32 N         probability of a click
//
// All pairs have the same number of indices into a table; it may be another one than in training.
//
// README.md is the model card; [Card] is its figures.
//
// In: the bytes of the files and what is known of them.
// Out: running them.
package model
