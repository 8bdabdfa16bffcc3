// Package sentencepiece reads the tokenizer.model files of SentencePiece, and turns text into token ids and back
// with them: byte-pair encoding over characters, whose pairs are merged by the score of the piece they make, or
// unigram models, whose pieces have the highest sum of scores. A Model equals SentencePiece 0.2.3 itself; a
// Llama is what transformers makes of a model for Llama 2 and Mixtral, with their special tokens; a Marian joins the
// models of two languages.
//
// In: the bytes of a tokenizer.model of the kind BPE or unigram, with its normalization rules, and text.
// Out: models of words and characters, blanks at the end of pieces, and rules for what is decoded; they are refused.
package sentencepiece
