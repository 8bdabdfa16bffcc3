// Package igbh reads folders of the Illinois graph benchmark's heterogeneous data sets (IGBH), of every size:
//
//	DIR/SIZE/processed/TYPE/node_feat.npy           float32 [nodes, width], of each type
//	                   paper/node_label_2K.npy      float32 [papers]: the class of each paper
//	                   SRC__REL__DST/edge_index.npy int64 [edges, 2]: source, destination
//	                   val_idx.pt                   the benchmark's papers; without it, the official split applies
//
// Sizes are tiny, small, medium, large and full. In large and full, the .npy files of labels and of the features of
// papers and authors officially have no header; files with a header are read too.
//
// Features are read from their files by node. The graph, with the reverse of each relation, is built once and saved in
// the data folder. The saved file is only used with the edges that it was built from.
//
// In scope: finding and checking files, the graph, features, papers and labels; the official split. Out of scope:
// sampling.
package igbh
