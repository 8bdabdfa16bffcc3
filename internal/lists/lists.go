// Package lists maps and filters slices, and runs a function on each element of a slice on all processors.
package lists

import "slices"

// Map is what f makes of each item, in their order; it is not nil.
func Map[S ~[]T, T, U any](items S, f func(T) U) []U {
	all := make([]U, len(items))
	for i, item := range items {
		all[i] = f(item)
	}
	return all
}

// Make is a list of n items: what f makes of 0 to n-1.
func Make[T any](n int, f func(i int) T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = f(i)
	}
	return all
}

// Filter are the items that ok is true of; nil where there are none.
func Filter[S ~[]T, T any](items S, ok func(T) bool) (all []T) {
	for _, item := range items {
		if ok(item) {
			all = append(all, item)
		}
	}
	return all
}

// Distinct are the items, each once, in the order of their first places; nil where there are none.
func Distinct[S ~[]T, T comparable](items S) (all []T) {
	for _, item := range items {
		if !slices.Contains(all, item) {
			all = append(all, item)
		}
	}
	return all
}
