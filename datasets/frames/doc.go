// Package frames reads the data sets of the retrieval benchmarks of a whole system: a folder of web pages, and the
// questions of FRAMES that they answer (e2e-rag-db and e2e-rag-qna).
//
// In: their files in the official forms. Out: what pages say (preprocess/text/passages), how questions are answered.
package frames
