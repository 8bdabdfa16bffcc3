// Package sdk is the interface for authors of benchmark plugins and backends.
//
// A [Benchmark] describes its models and opens a [Workload] (samples in, payloads out) and a [Scorer]; package serve
// turns it into a plugin process, with batching and sessions on the backends that it is built with:
//
//	func main() { serve.Main(resnet50.New(), serve.Backend("acme", acme.Backend{})) }
//
// In: the contracts between author and runtime.
// Out: the plugin process and its wire (packages serve and host are its two halves), benchmarks, metrics, inference
// libraries.
package sdk
