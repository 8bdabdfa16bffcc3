// Package index finds the passages nearest to a query: a graph of hierarchical navigable small worlds (Malkov and
// Yashunin, "Efficient and robust approximate nearest neighbor search using Hierarchical Navigable Small World graphs",
// 2018) over vectors by their squared Euclidean distance, exact search beside it, and the file that keeps both with the
// passages.
//
// A graph depends on its vectors and their order alone: vectors are linked in groups of a fixed size, each searched for
// on all cores among those of the groups before it and compared with all of its own group. Products are summed in the
// same order on all machines of one architecture; on another their last bits may differ, and with them links and file.
//
// In: vectors, passages. Out: what makes vectors of texts.
package index
