// Package officialdata writes small data sets in the layouts of the official ones, from nothing but code: files, names,
// formats and odd spots. They go with the models of package tinymodel and its known answers.
//
// In: one function for each layout. Out: reading data sets (the packages under test).
package officialdata
