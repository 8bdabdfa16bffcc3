// Package mixture scores answers to a mixture of three data sets: summaries of OpenOrca by ROUGE, and word problems of
// GSM8K by the number in the answer. The results equal those of the official script for Mixtral 8x7B. It returns the
// MBXP programs that the official script would run, and counts the Python programs that pass their tests.
//
// In scope: payloads of an accuracy log, the tokenizer, and the data set, id and reference of each sample. Out of
// scope: starting processes (the caller provides a function), and programs in the other five languages. The mbxp figure
// exists only if every program was executed.
package mixture
