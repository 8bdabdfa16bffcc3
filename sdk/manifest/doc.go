// Package manifest makes a benchmark from its manifest.json and its author's functions. The manifest contains the text
// that Describe returns, the defaults of each model's parameters, and the model files, embedded and official.
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
// The author's two functions receive a [Request] with the model's entry, its file, the parameters merged with their
// defaults, and the data set.
//
// In scope: the manifest's form and completeness, the choice of a model file, faults in a user's choices. Out of scope:
// the meaning of the parameters (the benchmark), downloads (fetch).
package manifest
