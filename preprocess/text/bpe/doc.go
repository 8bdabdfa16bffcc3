// Package bpe implements the byte-pair encoding of language models. It converts text to token ids and back like Hugging
// Face's tokenizers, with a tokenizer.json or with the vocabulary and merges of GPT-2.
//
// In scope: the bytes of those files, and text. It supports these parts of a tokenizer.json: the model BPE, byte-level
// or with byte fallback; the pre-tokenizers ByteLevel, Metaspace, Digits, Punctuation, and Split at strings and regular
// expressions; the common normalizers and decoders. These cover the files of the GPT-2, Llama, Mistral, Qwen, DeepSeek,
// GPT-OSS and StarCoder families. Other parts are refused by name. Out of scope: SentencePiece's own files (package
// sentencepiece), and prompts (the model).
package bpe
