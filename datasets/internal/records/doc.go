// Package records reads data sets that are tables of texts and token ids: a JSON array of objects, JSON objects one
// after the other (JSONL), or Parquet. A file's first bytes determine its form, not its name.
//
// In: finding columns, checking and converting their values.
// Out: Python's pickles, which datasets/convert turns into JSONL; what the columns mean.
package records
