// Package language contains the common parts of language-model benchmarks: tokenizers in model files, prompts made
// before a run, payloads from generators' answers, and notes about the answers.
//
// In scope: limits of answers, token ids and their sources, checks of ids. Out of scope: forms of prompts, data sets
// and scorers (each benchmark), decoding (sdk/generate), the tokenizers themselves (preprocess/text).
package language
