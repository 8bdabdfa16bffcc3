// Package language is what benchmarks of language models share: tokenizers in the files of models, prompts that are
// made before a run, the answers of generators as payloads, and what is to be said of them.
//
// In: limits of answers, token ids and where they are from, checks of ids. Out: forms of prompts, data sets and
// scorers, which are each benchmark's; decoding (sdk/generate); the tokenizers themselves (preprocess/text).
package language
