// Package sampling draws neighbourhoods of nodes in heterogeneous graphs: hop by hop, it draws a limited number of
// in-edges of each node and relation, uniformly and without replacement.
//
// Each draw depends only on seed, sample, hop, relation and node, so a run can be repeated with any threads and
// batches.
//
// In scope: neighbourhoods, and batches of them as positions for a model. Out of scope: features.
package sampling
