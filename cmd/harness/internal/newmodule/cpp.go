package newmodule

// Where a checkout has the example in C++.
const cppBackend = "examples/cpp-backend/"

// cppFiles are the files of a backend in C++: the checkout's example and the contract that it speaks.
func cppFiles(s Spec, n templateNames) (map[string][]byte, error) {
	read, err := s.readFiles(cppBackend+"backend.cc", cppBackend+"Makefile", protoDir+backendProto)
	if err != nil {
		return nil, err
	}
	text, err := fillTemplate("cpp/backend.md.tmpl", n)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"backend.cc": read[0], "Makefile": read[1], backendProto: read[2], "README.md": text}, nil
}

// cppNext are the commands that try it.
func cppNext() []string {
	const on = ` null --backend process --backend-opt command=./backend`
	return []string{"make", "harness run" + on, "harness verify" + on}
}
