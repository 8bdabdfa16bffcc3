// Package wordpiece is the tokenizer of BERT (uncased): it splits text into words and signs without accents, in
// lower case, and these into the longest pieces that a vocabulary holds. Its ids equal those of the "slow"
// BertTokenizer of transformers 4.46.
//
// In: the lines of a vocab.txt, and text in UTF-8. Out: special tokens around a text, and padding (package features).
package wordpiece
