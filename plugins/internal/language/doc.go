// Package language contains the common parts of language-model benchmarks: tokenizers in models' files, prompts made
// before a run, generators' answers as payloads, and the notes about them.
//
// In: limits of answers, token ids and where they are from, checks of ids. Out: forms of prompts, data sets and
// scorers, which are each benchmark's; decoding (sdk/generate); the tokenizers themselves (preprocess/text).
package language
