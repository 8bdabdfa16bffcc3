// Package retrieval scores benchmarks that answer questions from pages (e2e-rag-qna and e2e-rag-db). It parses the JSON
// in a model's reply and a judge's verdicts, and scores the retrieved pages and the databases of passages. It is
// compatible with the scripts of MLPerf Inference.
//
// In scope: replies, answers, URLs, logs. Out of scope: sending requests to models and judges, the search itself.
package retrieval
