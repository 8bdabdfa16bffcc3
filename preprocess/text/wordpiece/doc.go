// Package wordpiece implements the tokenizer of BERT (uncased). It splits text into lower-case words without accents
// and punctuation marks, and these into the longest pieces in a vocabulary. Its ids equal those of the "slow"
// BertTokenizer of transformers 4.46.
//
// In scope: the lines of a vocab.txt, and text in UTF-8. Out of scope: special tokens around a text, and padding
// (package features).
package wordpiece
