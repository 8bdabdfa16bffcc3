// Package agent answers a question of e2e-rag-qna: rounds of queries, searches, reranking and judgements of language
// models until they know enough. It does what MLPerf Inference's reference does, even with unreadable replies.
//
// In: what is asked of whom, in which words (PromptSet), and what becomes of the answers. Out: asking, searching and
// reranking (Environment), scores (accuracy/retrieval).
package agent
