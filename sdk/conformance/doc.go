// Package conformance checks a plugin, or a backend inside a plugin. It starts the binary, uses it like a harness, also
// under faults, and reports one result per check.
//
//	results := conformance.Run(ctx, conformance.Subject{Binary: "plumbline-plugin-acme"}, nil)
//
// `harness verify` prints the results; package sdktest turns them into tests. The package's tests contain a broken
// plugin for each check, to show that the check can fail.
//
// In scope: the checks and their verdicts. Out of scope: the connection (sdk/host), the display of results.
package conformance
