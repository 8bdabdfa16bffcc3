// Package generation scores generated text: ROUGE against reference texts, and how much was generated, equal to the
// official scripts for GPT-J, Llama 2 70B and Llama 3.1 8B. Its Answers, the texts of an accuracy log, serve other
// scorers too.
//
// In: payloads of an accuracy log, which are token ids; the tokenizer; the reference texts; a splitter into sentences.
// Out: reading logs, data sets and tokenizers (the caller).
package generation
