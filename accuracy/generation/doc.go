// Package generation scores generated text: it computes ROUGE against reference texts and the amount of generated text.
// The results equal those of the official scripts for GPT-J, Llama 2 70B and Llama 3.1 8B. Other scorers use its type
// Answers, which contains the texts of an accuracy log.
//
// In scope: payloads of an accuracy log (token ids), the tokenizer, the reference texts, a sentence splitter. Out of
// scope: reading logs, data sets and tokenizers (the caller).
package generation
