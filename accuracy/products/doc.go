// Package products scores qwen3-vl. The model reads a product's picture and texts and returns the product's category,
// its brand and whether it is second-hand. The scores are the hierarchical F1 of categories, the similarity of brands,
// and the F1 of second-hand products.
//
// In scope: answers and ground truth. Out of scope: reading logs, and the prompts.
package products
