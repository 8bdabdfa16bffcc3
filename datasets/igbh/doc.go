// Package igbh reads folders of the Illinois graph benchmark's heterogeneous data sets (IGBH), of every size:
//
//	DIR/SIZE/processed/TYPE/node_feat.npy           float32 [nodes, width], of each type
//	                   paper/node_label_2K.npy      float32 [papers]: the class of each paper
//	                   SRC__REL__DST/edge_index.npy int64 [edges, 2]: source, destination
//	                   val_idx.pt                   the papers of the benchmark; without it they are drawn as officially
//
// Sizes are tiny, small, medium, large and full. Features of papers and authors, and labels, of large and full are raw
// memory in spite of their name; here they may have a header, too.
//
// Features stay in their files and are read by node. The graph is made once, with the reverse of each relation, and
// kept in the data's folder, in a file that is used only with the edges that it was made from.
//
// In: finding and checking files, the graph, features, papers and labels; the official split. Out: sampling.
package igbh
