// Package text is the folder of the text packages; it holds no code itself.
//
//	pystr      strings as Python treats them: white space, lower case, word boundaries, decoding
//	porter     the Porter stemmer
//	punkt      the Punkt sentence splitter
//	wordpiece  BERT's tokenizer
//	features   questions and passages as the inputs of a BERT model
//	clip       CLIP's tokenizers, of text-to-image models and their scorer
//	bpe        byte-pair encoding: the tokenizers of GPT-2, Llama 3, DeepSeek and others
//	subword    byte-pair encoding of translation: subword-nmt's, and GNMT's vocabularies
//	tiktoken   the vocabularies of Whisper: ids into text
//	sentencepiece  the tokenizers of Llama 2, Mixtral and Marian
//	pretrained  the tokenizer in the files that a language model is published with
//
// In: strings, and the bytes of vocabulary files. Out: tokens, token ids and strings, equal to what the tools give that
// the benchmarks (compatible with MLPerf Inference) are defined with. The packages do no I/O and keep no global state.
package text
