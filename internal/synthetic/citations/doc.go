// Package citations draws heterogeneous citation graphs in the form of the graph benchmark's data (IGBH): papers,
// authors, institutes, fields of study, journals and conferences, with features and six relations. A model can learn
// the classes of papers, from their features in part and from those of their neighbours.
//
// Every node has a class of 24, hidden but for those of papers. Edges prefer nodes of one class, relation by
// relation; features are noise and a share of the class's centre.
//
// Everything follows from one seed and is the same on every machine: what is drawn are integers.
//
// In: graphs, of any size; what writes them in the official layout needs of them. Out: sampling, writing (igbh).
package citations
