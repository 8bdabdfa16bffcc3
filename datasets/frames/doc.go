// Package frames reads the data sets of the end-to-end retrieval benchmarks (e2e-rag-db and e2e-rag-qna): a folder of
// web pages, and the FRAMES questions that they answer.
//
// In scope: the files in their official forms. Out of scope: text of pages (plugins/rag/internal/passages), answering
// questions.
package frames
