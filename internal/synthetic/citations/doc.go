// Package citations draws heterogeneous citation graphs in the form of the graph benchmark's data (IGBH): papers,
// authors, institutes, fields of study, journals and conferences, with features and six relations. A model can learn
// the classes of papers, partly from their own features and partly from those of their neighbours.
//
// Every node has one of 24 classes, which is hidden except for papers. Edges prefer nodes of the same class, to a
// degree that depends on the relation. Features are noise plus a share of the class's centre.
//
// Everything is derived from one seed by integer arithmetic and is the same on every machine.
//
// In scope: graphs of any size, and access to them for writing the official layout. Out of scope: sampling, writing
// (igbh).
package citations
