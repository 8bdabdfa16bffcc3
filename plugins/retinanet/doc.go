// Package retinanet is the object-detection benchmark.
package retinanet
