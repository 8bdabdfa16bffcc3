// Package officialdata generates small data sets in the official layouts, with their files, names, formats and
// peculiarities. They match the models of package tinymodel and their known answers.
//
// In scope: a function for each layout. Out of scope: reading data sets (the packages under test).
package officialdata
