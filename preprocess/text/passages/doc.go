// Package passages makes the passages of retrieval benchmarks from web pages: HTML to text, text to pieces of a fixed
// length, as the reference of e2e-rag does with the extractor set to "word".
//
// Pages are parsed by golang.org/x/net/html, which follows the standard of HTML5; the reference's libxml2 mends broken
// markup in ways of its own. Well-formed pages give the same text. Known to differ: a script or a style that is never
// closed (text behind it), a second body (its text belongs to the first one here), end tags of elements that are not
// open, tables with text outside of cells, elements nested deeper than 512 (none is read here).
//
// In: bytes of a page, text. Out: which pages there are (datasets/frames), what becomes of passages.
package passages
