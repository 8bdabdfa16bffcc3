// Package dlrm is the recommendation benchmark: the click-through rate of user-item pairs, DLRM v1 and v2 on Criteo's click
// logs, compatible with MLPerf Inference's dlrm and dlrm-v2.
//
// A sample is a run of 100 to 700 pairs, as the rules group them. Batches are cut by their pairs: Options.Batch, and every
// batch size that a result names, counts pairs, not samples.
//
// In: grouping pairs into samples, their way into a model's tensors, payloads, the scorer, the embedded model's manifest.
// Out: reading click logs (datasets/criteo), drawing them (datasets/synthetic/clicks), AUC (accuracy/auc).
package dlrm
