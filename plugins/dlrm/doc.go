// Package dlrm is the recommendation benchmark.
package dlrm
