// Package bert is the question-answering benchmark: BERT-Large on SQuAD 1.1, and an embedded network of the same interface on
// passages and questions that the project writes.
//
// In: the manifest, which questions, vocabulary and model file a run uses, the model's inputs and outputs, and scoring.
// Out: tokens and features (preprocess/text), the metric (accuracy/squad), the data set's file (datasets/squad), the backend.
package bert
