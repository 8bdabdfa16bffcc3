// Package bpe is byte-pair encoding as language models use it: it turns text into token ids and back, equal to Hugging Face's
// tokenizers, from a tokenizer.json or from the vocabulary and merges of GPT-2.
//
// In: the bytes of those files, and text. Of a tokenizer.json it knows what models of the GPT-2, Llama, Mistral and Qwen
// families use: the model BPE, byte-level or with byte fallback; the pre-tokenizers ByteLevel, Metaspace and Split with the
// patterns of those families; the common normalizers and decoders. Anything else is refused by name.
// Out: SentencePiece's own files, which package sentencepiece reads, and prompts, which are their model's business.
package bpe
