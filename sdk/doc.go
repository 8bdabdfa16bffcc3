// Package sdk is the interface for authors of benchmark plugins and backends.
//
// A [Benchmark] describes its models and opens a [Workload] (samples in, payloads out) and a [Scorer]. Package serve
// turns it into a plugin process, with batching and with sessions on the linked backends:
//
//	func main() { serve.Main(resnet50.New(), serve.Backend("acme", acme.Backend{})) }
//
// In scope: the contracts between author and runtime. Out of scope: the plugin process and its wire protocol (packages
// serve and host are the two halves), benchmarks, metrics, inference libraries.
package sdk
