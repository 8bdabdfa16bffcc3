// Package sampling draws neighbourhoods of nodes in heterogeneous graphs: hop by hop, from each node and for each
// relation that ends in its type, up to a number of its in-edges, uniformly and without replacement.
//
// Each draw is keyed by seed, sample, hop, relation and node alone, so that a run can be repeated whatever the threads
// and the batches do.
//
// In: neighbourhoods, and batches of them as positions for a model. Out: features.
package sampling
