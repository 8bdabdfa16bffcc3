// Package generation scores generated text: ROUGE against reference texts, and the amount of text generated, equal to
// the official scripts for GPT-J, Llama 2 70B and Llama 3.1 8B. Other scorers also use its Answers, the texts of an
// accuracy log.
//
// In scope: payloads of an accuracy log (token ids), the tokenizer, the reference texts, a sentence splitter. Out of
// scope: reading logs, data sets and tokenizers (the caller).
package generation
