// Package features turns questions about passages into the inputs of a BERT model for extractive question answering,
// equal to those that the reference implementation feeds for SQuAD 1.1: a passage that is too long is cut into
// overlapping windows, each of which becomes one feature
//
//	[CLS] question [SEP] window [SEP]
//
// In: a wordpiece tokenizer, passages and questions. Out: reading data sets, and choosing answers (package
// accuracy/squad, with a feature's tokens).
package features
