// Package officialdata writes small data sets in the layouts of the official ones, from nothing but code: files, names,
// formats and odd spots. They go with the models of package tinymodel, whose answers to them are known.
//
// In: one function for each layout.
// Out: reading data sets, which is what the tests try.
package officialdata
