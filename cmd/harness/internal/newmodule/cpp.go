package newmodule

// cppBackend is the folder of the C++ example in a checkout.
const cppBackend = "examples/cpp-backend/"

// readCppFiles returns the files of a C++ backend: the checkout's example and its protocol definition.
func readCppFiles(s ModuleSpec, n templateData) (map[string][]byte, error) {
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

// cppCommands returns the commands that try the module.
func cppCommands() []string {
	const on = ` null --backend process --backend-opt command=./backend`
	return []string{"make", "harness run" + on, "harness verify" + on}
}
