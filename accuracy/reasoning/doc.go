// Package reasoning scores the answers of reasoning models, equal to the official scripts for DeepSeek-R1 and
// gpt-oss-120b: which entries of a log count, which grader reads an answer, how sets are weighted, what is printed.
//
// In: entries of an accuracy log, whose payloads are token ids of 32 bits; a function that decodes them; set and truth
// of each sample; what runs programs, and what simplifies algebra. Out: reading logs, data sets and tokenizers, and
// starting processes: the caller's work. Package extract finds the answer in a text; package mathgrade compares two
// answers of mathematics.
package reasoning
