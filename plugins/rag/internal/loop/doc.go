// Package loop is how e2e-rag-qna answers a question: rounds of queries, searches, reranking and judgements of language
// models, until they find that they know enough; it does what MLPerf Inference's reference does, replies that nobody
// can read included.
//
// In: what is asked of whom, in which words (Prompts), and what becomes of the answers. Out: asking, searching and
// reranking (World), scores (accuracy/retrieval).
package loop
