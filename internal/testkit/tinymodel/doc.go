// Package tinymodel makes models with the official tensors, few weights and known answers, for tests.
//
// In scope: a function for each form of an official file. Out of scope: data sets (package officialdata), accurate
// models.
package tinymodel
