// Package clip implements CLIP's tokenizer for text-to-image models and their scorer. It applies byte-level byte-pair
// encoding to cleaned text, equal to transformers' CLIPTokenizer (the Python version, with ftfy installed) and to
// open_clip's tokenizer.
//
// In scope: the bytes of vocab.json, merges.txt and tokenizer_config.json, and text. The text is cleaned like ftfy
// does, except that text read in a wrong encoding ("cafÃ©") is not repaired ([MayNeedRepair] detects such text).
// Output: a fixed number of token ids. Out of scope: turning ids into text, and extended vocabularies, which are
// refused.
package clip
