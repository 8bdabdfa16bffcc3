// Package sdk is what the author of a benchmark plugin, or of a backend, writes against.
//
// A [Benchmark] describes its models and opens a [Workload] (samples in, payloads out) and a [Scorer]; sdk turns the
// workload into a LoadGen QSL and SUT with batching and sessions, and [Main] into a plugin process:
//
//	func main() { serve.Main(resnet50.New(), serve.Backend("acme", acme.Backend{})) }
//
// In: the contracts, batching, the plugin process and its wire (package host is the harness's half).
// Out: benchmarks, metrics, inference libraries.
package sdk
