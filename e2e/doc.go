// Package e2e tests the built binaries.
package e2e
