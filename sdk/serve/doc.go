// Package serve turns a benchmark into the process that a harness starts. [Main] is the whole main function of a plugin
// binary.
//
//	func main() { serve.Main(resnet50.New(), serve.Backend("acme", acme.Backend{})) }
//
// It opens the workload's model on a backend, forms batches of queries, runs them in the sessions, and sends answers
// back. Package host is the harness's half of the connection.
package serve
