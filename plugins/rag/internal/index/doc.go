// Package index finds the passages nearest to a query. It contains a graph of hierarchical navigable small worlds
// (Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using Hierarchical Navigable Small
// World graphs", 2018) over vectors by their squared Euclidean distance, an exact search, and a file format for both
// with the passages.
//
// A graph depends only on its vectors and their order. Vectors are linked in groups of a fixed size; each vector is
// searched for, on all cores, in the earlier groups and compared with all vectors of its own group. Products are summed
// in the same order on all machines of one architecture. On another architecture their last bits may differ, and with
// them the links and the file.
//
// In scope: vectors, passages. Out of scope: embedding texts.
package index
