// Package sdktest contains the conformance suites of the sdk, for the tests of plugins and backends.
//
//	func TestPlugin(t *testing.T)  { sdktest.RunPluginSuite(t, sdktest.Plugin{Binary: "./plumbline-plugin-acme"}) }
//	func TestBackend(t *testing.T) { sdktest.RunBackendSuite(t, sdktest.Backend{Backend: acme.Backend{}, Model: m}) }
//
// In scope: the contracts of packages sdk and backend, as seen from outside. Out of scope: speed, accuracy, the rules
// of a submission.
package sdktest
