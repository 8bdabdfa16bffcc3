// Package features converts questions about passages to the inputs of a BERT model for extractive question answering,
// equal to those of the reference implementation for SQuAD 1.1. A passage that is too long is split into overlapping
// windows. Each window becomes one feature:
//
//	[CLS] question [SEP] window [SEP]
//
// In scope: a wordpiece tokenizer, passages and questions. Out of scope: reading data sets, and choosing answers
// (package accuracy/squad, with a feature's tokens).
package features
