// Package squad reads and writes question-answering data sets in the layout of SQuAD 1.1 (the published dev-v1.1.json).
//
// In scope: the JSON file and its checks. Out of scope: tokens, features, metrics.
package squad
