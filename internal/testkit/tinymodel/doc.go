// Package tinymodel makes models with the official tensors, few weights and known answers, for tests.
//
// In: one function for each form of an official file.
// Out: data sets (package officialdata); models that are any good.
package tinymodel
