// Package products scores models that read a product's picture and texts and answer with its category, its brand and
// whether it is second-hand (qwen3-vl): the hierarchical F1 of categories, brands by likeness, F1 of second-hand ones.
//
// In: answers, and what is true of the products. Out: reading logs, and what was asked.
package products
