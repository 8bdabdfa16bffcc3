// Package tiktoken reads vocabularies in tiktoken's file format, one token in base64 and its id per line. Examples are
// Whisper's multilingual.tiktoken and the tokens.txt of sherpa-onnx's Whisper models.
//
// In scope: the bytes of such a file, and ids. Out of scope: encoding text, and special tokens (the file does not
// contain them).
package tiktoken
