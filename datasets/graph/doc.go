// Package graph holds heterogeneous graphs: nodes of several types, and relations, each a set of directed edges from
// nodes of one type to nodes of another or the same. A relation is kept as CSC: for each destination, the sources of
// its in-edges.
//
// A graph takes 4 bytes for each edge, and for each relation 4 for each node that it can end in.
//
// In: making CSC of lists of edges, with all processors; a file that keeps it; the interface of features.
// Out: which files hold edges and features (igbh), sampling (sampling).
package graph
