package resnet50

// embeddedBytes is the embedded ONNX file of a precision, nil where the build has none.
func embeddedBytes(precision string) []byte { return nil }
