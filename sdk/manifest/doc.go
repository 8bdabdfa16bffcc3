// Package manifest makes a benchmark of its manifest.json and of what its author wrote: the text that Describe answers
// with, the defaults of each model's parameters, and the model files, embedded and official, stand in the manifest.
//
//	//go:embed manifest.json
//	var text string
//	//go:embed model/card.json model/*.onnx
//	var files embed.FS
//
//	func New() sdk.Benchmark {
//		return manifest.Benchmark(text, files, manifest.Implementation{Open: open, Score: score, Samples: 1000})
//	}
//
// The author's two functions get a [Request]: the model's entry, its file, the parameters over their
// defaults, the data set.
//
// In: the file's form, its completeness, the choice of a model file, faults of what the user named.
// Out: what the parameters mean (the benchmark), downloads (fetch).
package manifest
