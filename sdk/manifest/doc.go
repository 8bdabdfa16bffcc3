// Package manifest reads a benchmark's manifest.json: the text that Describe answers with, the defaults of each model's
// parameters, and the model files, embedded and official.
//
// A benchmark embeds its manifest, calls [Read] once, and asks the [Manifest] for the rest:
//
//	m, err := manifest.Read(text, manifest.Embedded{Card: model.Card(), Bytes: model.Bytes, Samples: 1000})
//	m.Describe()                  // sdk.Benchmark's answer
//	e, err := m.Model(o.Model)    // the entry of a run's model
//	f, err := m.OpenFile(e, o)    // its file: an embedded one or a path
//	m.CheckParams(o.Params)       // no parameter that no model has
//
// In: the file's form, its completeness, the choice of a model file.
// Out: what the parameters mean (the benchmark), downloads (fetch).
package manifest
