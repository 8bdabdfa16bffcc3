// Package tiktoken reads vocabularies in the form of tiktoken's files, lines of a token in base64 and its id: Whisper's
// multilingual.tiktoken, and the tokens.txt of sherpa-onnx's Whisper models.
//
// In: the bytes of such a file, and ids. Out: text into ids, and special tokens (the file does not contain them).
package tiktoken
