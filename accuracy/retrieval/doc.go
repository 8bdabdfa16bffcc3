// Package retrieval scores benchmarks that answer questions from pages: what a model's reply says in JSON, a judge's
// verdicts, the pages that were found, and databases of passages (e2e-rag-qna and e2e-rag-db of MLPerf Inference, with
// whose scripts it is compatible).
//
// In: replies, answers, URLs, logs. Out: asking models and judges, the search itself.
package retrieval
