// Package preprocess has no code of its own. The folders below it convert the bytes of a data set to a model's input
// tensors, with the same numbers as the official reference.
//
//   - image decodes, resizes, crops and normalises pictures
//   - volume prepares computed tomography and magnetic resonance scans
//   - lidar prepares point clouds, with camera pictures
//   - audio reads sound files and computes the features of speech models
//   - text contains tokenizers (wordpiece, bpe, sentencepiece, clip, pretrained), computes BERT's features, and splits
//     texts into sentences
//
// The functions are pure, and the same bytes give the same tensor on every machine. docs/preprocessing.md compares each
// with the reference.
//
// Package datasets finds and reads files, and backends (package sdk/backend) run models.
package preprocess
