// Package squad scores extractive question answering on SQuAD 1.1: exact match and F1 of the answers that the logits of
// an accuracy log point at, equal to the official scripts.
//
// In: payloads of an accuracy log, and the questions with their features and accepted answers. Out: reading logs and
// data sets, and building features (the caller).
package squad
