// Package sentencepiece reads the tokenizer.model files of SentencePiece, and converts text to token ids and back. A
// BPE model merges pairs of characters or pieces by the score of the resulting piece. A unigram model chooses the
// pieces with the highest sum of scores. A Model equals SentencePiece 0.2.3 itself. A Llama equals transformers'
// tokenizer for Llama 2 and Mixtral, with their special tokens. A Marian combines the models of two languages.
//
// In scope: the bytes of a tokenizer.model of the kind BPE or unigram, with its normalization rules, and text. Out of
// scope: models of words and characters, blanks at the end of pieces, and decoding rules; they are refused.
package sentencepiece
