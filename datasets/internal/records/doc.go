// Package records reads data sets that are tables of texts and token ids: a JSON array of objects, JSON objects one
// after the other (JSONL), or Parquet. A file's first bytes determine its form, not its name.
//
// In scope: finding columns, checking and converting their values. Out of scope: Python's pickles (datasets/convert
// turns them into JSONL); the meaning of the columns.
package records
