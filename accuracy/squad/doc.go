// Package squad scores extractive question answering on SQuAD 1.1. It computes exact match and F1 of the answers that
// the logits in an accuracy log select. The results equal those of the official scripts.
//
// In scope: payloads of an accuracy log, and the questions with their features and accepted answers. Out of scope:
// reading logs and data sets, and building features (the caller).
package squad
