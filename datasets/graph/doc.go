// Package graph stores heterogeneous graphs. They have nodes of several types, and relations, which are sets of
// directed edges from nodes of one type to nodes of another or the same type. A relation is stored as CSC, with the
// sources of the in-edges of each destination.
//
// A graph uses 4 bytes for each edge, and, per relation, 4 bytes for each possible destination node.
//
// In scope: converting edge lists to CSC on all processors, a cache file for the result, an interface for features. Out
// of scope: files of edges and features (igbh), sampling (plugins/rgat/internal/sampling).
package graph
