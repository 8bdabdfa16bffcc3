// Package preprocess has no code of its own. The folders below it turn the bytes of a data set into the tensors that a
// model takes, with the numbers of the official reference.
//
//   - image decodes, resizes, crops and normalises pictures
//   - volume prepares scans of computed tomography and magnetic resonance
//   - lidar prepares clouds of points, with the pictures of cameras
//   - audio reads sound files and computes the features of speech models
//   - tabular groups click logs into samples
//   - text contains tokenizers (wordpiece, bpe, sentencepiece, clip, subword, tiktoken, pretrained), the features of
//     BERT, and splits texts into sentences and passages
//
// The functions are pure, and the same bytes give the same tensor on every machine. docs/preprocessing.md compares each
// with the reference.
//
// Package datasets finds and reads files, and backends (package sdk/backend) run models.
package preprocess
