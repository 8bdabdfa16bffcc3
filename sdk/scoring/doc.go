// Package scoring makes a benchmark's scorer from a metric that takes answers and a function that states what its
// result means.
//
//	func score(_ context.Context, r *manifest.Request) (sdk.Scorer, error) {
//		labels := openLabels(r)
//		log := scoring.Log{Samples: len(labels), Exhibits: r.Exhibits, Gallery: wrongOnes(labels)}
//		return scoring.New(topk.New(labels, topk.Options{}), log, accuracyOf), nil
//	}
//
//	func accuracyOf(r topk.Result, c scoring.Counts) (sdk.Score, error) {
//		return sdk.Score{
//			Metrics: []sdk.Metric{{Name: "accuracy", Unit: "%", Value: r.Accuracy}}, OfficialText: r.String(),
//			Notes: c.Notes("samples", "the accuracy is that"),
//		}, nil
//	}
//
// A benchmark whose answers are right or wrong one by one needs no metric of its own: see [Each].
//
// In: counting entries that are missing, damaged, beyond the data set or of one sample again, their notes, the class of
// errors, the exhibits of the worst answers. Out: the metrics (package accuracy, or the benchmark), drawing exhibits
// (sdk/exhibit), reading logs (loadgen/mllog).
package scoring
