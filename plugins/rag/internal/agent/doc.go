// Package agent answers a question of e2e-rag-qna in rounds of queries, searches, reranking and judgements by language
// models, until the models judge that they know enough. It follows MLPerf Inference's reference, even for unparsable
// replies.
//
// In scope: the prompts for each model (PromptSet) and the use of the answers. Out of scope: sending requests,
// searching and reranking (Environment), scores (accuracy/retrieval).
package agent
