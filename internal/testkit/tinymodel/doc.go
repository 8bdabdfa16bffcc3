// Package tinymodel makes models with the tensors of the official ones and next to no weights, whose answers are known:
// tests run them in the official models' place.
//
// In: one function for each form of an official file.
// Out: data sets (package officialdata); models that are any good.
package tinymodel
