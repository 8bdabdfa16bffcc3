// Package sdktest holds the conformance suites of the sdk: whoever writes a plugin or a backend runs them in a test.
//
//	func TestPlugin(t *testing.T)  { sdktest.RunPluginSuite(t, sdktest.Plugin{Binary: "./plumbline-plugin-acme"}) }
//	func TestBackend(t *testing.T) { sdktest.RunBackendSuite(t, sdktest.Backend{Backend: acme.Backend{}, Model: m}) }
//
// In: the contracts of packages sdk and backend, as seen from outside. Out: speed, accuracy, the rules of a submission.
package sdktest
