// Package criteo reads day 23 of Criteo's click logs, in the layouts of the two recommendation benchmarks:
//
//	DIR/day_23_dense.npy                   float32, pairs x 13 numbers, ready for the model      (dlrm-v2)
//	DIR/day_23_sparse_multi_hot.npz        members 0.npy to 25.npy, int32, pairs x hotness, stored uncompressed
//	DIR/day_23_labels.npy                  pairs x 1: 0 or 1
//
//	DIR/terabyte_processed_test.bin        int32, pairs x 40: label, 13 numbers, 26 indices      (dlrm)
//	DIR/day_23_reordered.npz               members X_int, X_cat and y; may replace the file above
//	DIR/day_fea_count.npz                  member counts.npy: the rows of the 26 tables
//
// A pair consists of a user, an item and a label, which is 1 for a click. The files are larger than memory, so rows
// are read on demand through the operating system's cache.
//
// In scope: finding and checking the files, reading pairs, traces of aggregated samples. Out of scope: drawing the
// sizes of samples; embedding tables.
package criteo
