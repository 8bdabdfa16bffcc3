// Package products reads the product catalogue of qwen3-vl-235b-a22b: pictures, titles, descriptions and offered
// categories of products, with what is true of them. It reads the Parquet files as they lie at the hub, and the one
// file that the endpoints harness makes of them.
//
// Pictures are gigabytes: rows are read one after the other, and what a caller makes of each lies in a file that is
// mapped into memory (Store).
//
// In: finding the files, checking and converting values, formats of pictures by their first bytes.
// Out: decoding pictures, prompts.
package products
