// Package products reads the product catalogue of qwen3-vl-235b-a22b: pictures, titles, descriptions and offered
// categories of products, with their ground truth. It reads the Parquet files published on the hub, and the single file
// that the endpoints harness makes from them.
//
// The pictures amount to gigabytes. Rows are therefore read one after the other, and Store keeps the caller's result
// for each row in a memory-mapped file.
//
// In scope: finding the files, checking and converting values, formats of pictures by their first bytes. Out of scope:
// decoding pictures, prompts.
package products
