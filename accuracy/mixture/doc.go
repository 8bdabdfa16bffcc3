// Package mixture scores answers to a mixture of three data sets, equal to the official script for Mixtral 8x7B:
// summaries of OpenOrca by ROUGE, and word problems of GSM8K by the number that the answer gives. It returns the
// sources of MBXP's programs that the official script would run, and counts those in Python that pass their tests.
//
// In: payloads of an accuracy log, the tokenizer, and of each sample the data set, its id there and the reference. Out:
// starting processes (the caller has a function for it), and programs in the other five languages. There is a figure of
// mbxp only where every program was executed.
package mixture
