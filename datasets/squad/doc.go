// Package squad reads and writes question-answering data sets in the layout of SQuAD 1.1:
// dev-v1.1.json as it is published.
//
// In: the JSON file, and all that can be wrong with it. Out: tokens, features, metrics.
package squad
