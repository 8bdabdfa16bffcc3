// Package mixture scores answers to a mixture of three data sets, equal to the official script for Mixtral 8x7B:
// summaries of OpenOrca by ROUGE, and word problems of GSM8K by the number that the answer gives. Of the programs of
// MBXP it returns the sources that the official script would run, and counts those in Python that pass their tests.
//
// In: payloads of an accuracy log, the tokenizer, and of each sample the data set, its id there and the reference.
// Out: starting processes: the caller has a function for it; programs in the other five languages, which take
// toolchains of their own. There is a figure of mbxp only where every program was executed.
package mixture
