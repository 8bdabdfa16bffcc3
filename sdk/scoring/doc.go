// Package scoring makes a benchmark's scorer from a metric that reads answers and a function that converts the metric's
// result.
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
// A benchmark in which each answer is right or wrong does not need its own metric; see [Each].
//
// In scope: counting entries that are missing, damaged, duplicate or outside the data set, notes about them, the class
// of errors, the exhibits of the worst answers. Out of scope: the metrics (package accuracy, or the benchmark), drawing
// exhibits (sdk/exhibit), reading logs (loadgen/mllog).
package scoring
