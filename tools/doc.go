// Package tools holds the tests of the workspace and pins its generators and linters.
package tools
