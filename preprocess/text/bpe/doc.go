// Package bpe is byte-pair encoding as language models use it: it turns text into token ids and back, equal to Hugging
// Face's tokenizers, from a tokenizer.json or from the vocabulary and merges of GPT-2.
//
// In scope: the bytes of those files, and text. It supports these parts of a tokenizer.json: the model BPE, byte-level
// or with byte fallback; the pre-tokenizers ByteLevel, Metaspace, Digits, Punctuation, and Split at strings and regular
// expressions; the common normalizers and decoders. These cover the files of the GPT-2, Llama, Mistral, Qwen, DeepSeek,
// GPT-OSS and StarCoder families. Other parts are refused by name. Out of scope: SentencePiece's own files (package
// sentencepiece), and prompts (the model).
package bpe
