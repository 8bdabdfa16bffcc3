// Package sentencepiece reads the tokenizer.model files of SentencePiece, and turns text into token ids and back with them:
// byte-pair encoding over characters, whose pairs are merged by the score of the piece they make. A Model equals SentencePiece
// 0.2 itself; a Llama is what transformers makes of a model for Llama 2 and Mixtral, with their special tokens.
//
// In: the bytes of a tokenizer.model of the kind BPE without normalization rules, and text.
// Out: unigram models and normalization rules, which the language models of the benchmarks do not have; they are refused.
package sentencepiece
