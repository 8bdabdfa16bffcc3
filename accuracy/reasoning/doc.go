// Package reasoning scores the answers of reasoning models in the same way as the official scripts for DeepSeek-R1 and
// gpt-oss-120b. It counts the same entries of a log, uses the same grader for each answer and the same weights for the
// sets, and prints the same text.
//
// In scope: entries of an accuracy log with payloads of 32-bit token ids, a function that decodes them, the set and
// truth of each sample, a program runner, an algebra simplifier. Out of scope: reading logs, data sets and tokenizers,
// and starting processes (the caller). Package extract finds the answer in a text; package mathgrade compares two
// mathematical answers.
package reasoning
