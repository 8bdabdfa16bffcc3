// Package clip is the tokenizer of CLIP, as text-to-image models and their scorer use it: byte-level byte-pair encoding
// of cleaned text, equal to transformers' CLIPTokenizer (the one in Python, with ftfy installed) and to open_clip's.
//
// In: the bytes of vocab.json, merges.txt and tokenizer_config.json, and text. The text is cleaned as ftfy does it, but
// for one rule: text that was read in a wrong encoding ("cafÃ©") is not repaired ([MayNeedRepair] detects such text).
// Out: token ids of a fixed number. Turning ids into text again, and vocabularies that were extended, which are
// refused.
package clip
