// Package passages makes the passages of retrieval benchmarks from web pages. It converts HTML to text and splits the
// text into pieces of a fixed length, like the reference of e2e-rag with the extractor "word".
//
// Pages are parsed by golang.org/x/net/html, which follows the HTML5 standard; the reference's libxml2 repairs broken
// markup differently. Well-formed pages give the same text. Known differences are text after an unclosed script or
// style, a second body (its text belongs to the first here), end tags of elements that are not open, tables with text
// outside of cells, and elements nested deeper than 512 (not read here).
//
// In scope: bytes of a page, text. Out of scope: finding pages (datasets/frames), the use of passages.
package passages
