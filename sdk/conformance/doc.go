// Package conformance checks a plugin, or a backend inside one: it starts the binary, uses it as a harness does, also
// under faults, and reports one result per check.
//
//	results := conformance.Run(ctx, conformance.Subject{Binary: "plumbline-plugin-acme"}, nil)
//
// `harness verify` prints the results; package sdktest makes tests of them. Each check can fail: the package's tests
// hold a broken plugin for each.
//
// In: what is checked, and what passes.
// Out: the connection (sdk/host), how results are shown.
package conformance
