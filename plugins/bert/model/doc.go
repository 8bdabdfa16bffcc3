// Package model holds the embedded model of the bert benchmark: a small BERT, trained by the script beside it on the questions of
// package datasets/synthetic/questions, with the interface of the official FP32 ONNX file and free N and S.
//
//	input   input_ids             int64   N,S   token ids of vocab.txt
//	input   input_mask            int64   N,S   1 for a token, 0 for padding
//	input   segment_ids           int64   N,S   1 for the passage and its [SEP]
//	output  output_start_logits   float32 N,S
//	output  output_end_logits     float32 N,S
//
// S is at most 384. README.md is the model card; [Card] is its figures.
//
// In: the bytes of the files and what is known of them.
// Out: running them.
package model
